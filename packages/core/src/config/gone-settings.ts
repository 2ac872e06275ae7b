// Settings that former versions had: a configuration or a body that still has one is refused in one line that says what holds instead.

import { namedParts } from './named-options.ts';

const drawnSingly =
  'is no setting any more: `program: best-first` draws step by step, `program: mcts` whole expansions';

const thinkingStep = 'is no setting any more: a step inside the thinking ends after 1024 tokens';
const beside = 'is no setting any more: reward-model.json beside the weights says it, on a server the format';

/** By their path, without the index of a list. */
const gone: Readonly<Record<string, string>> = {
  'models.certain': 'is no setting any more: a search stops once more work is not worth its price; set nothing',
  'models.promise': 'is no setting any more: no rule reads it',
  'models.expansion': drawnSingly,
  'models.widening': drawnSingly,
  'models.calibration': 'is no setting any more: searches stop by what more work is worth; nothing is calibrated',
  'models.synthesizer': 'is now panel.synthesizer, beside panel.models',
  'models.thinkingSteps': thinkingStep,
  'models.thinkingStepTokens': thinkingStep,
  'models.budgetPer': 'is no setting any more: budget counts the strands of each replica where replicas are listed',
  'models.groupSimilarity': 'is no setting any more: it is 0.8',
  'models.order': 'is no setting any more: requests go to the engine as they come; a policy of your own may order them',
  'models.verifier.good': beside,
  'models.verifier.bad': beside,
  'models.verifier.marker': beside,
  'models.verifier.parallel': 'is no setting any more: two processes run at a time',
  'models.verifier.outputKiB': 'is no setting any more: it is 1024',
  'journal.keepSearches': 'is no setting any more: it is 100000; retentionMs keeps fewer',
  'server.bodyBytes': 'is no setting any more: it is 4 MiB',
  'server.page': 'is no setting any more: the page is at /',
  'limits.rolloutTokens': 'is no setting any more: it is 2500',
  'limits.thinkingTokens': 'is no setting any more: medium buys 32768; set maxThinkingTokens of the model',
  'telemetry.sampleRatio': 'is no setting any more: every request is traced unless its traceparent says otherwise',
  'telemetry.content': 'is no setting any more: spans hold no prompts or answers',
  'log.format': 'is no setting any more: text on a terminal, JSON elsewhere',
  'server.streams': 'is no setting any more: 2000 may be open at a time',
  'models.futileDraws': 'is no setting any more: the selective exit leaves such nodes in',
};

/** Goes on from the name of the setting; `section` is where it stood, such as `models`. */
export function goneSetting(section: string, name: string): string | undefined {
  const places = [...namedParts()].flatMap(([part, own]) => {
    return Object.hasOwn(own, name) ? [`${part}.${name}`] : [];
  });
  if (section === 'models' && places.length > 0) return `is now ${places.join(' or ')}`;
  const path = `${section}.${name}`;
  return Object.hasOwn(gone, path) ? gone[path] : undefined;
}
