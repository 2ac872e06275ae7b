// Settings that former versions had: a configuration or a body that still has one is refused in one line that says what holds instead.

import { namedParts } from './named-options.ts';

const drawnSingly =
  'is no setting any more: `program: best-first` draws step by step, `program: mcts` whole expansions';

/** By their path, without the index of a list. */
const gone: Readonly<Record<string, string>> = {
  'models.expansion': drawnSingly,
  'models.widening': drawnSingly,
  'models.calibration':
    'is no setting any more: npm run lab -- calibrate chooses thresholds; set `certain` and its options',
  'models.synthesizer': 'is now panel.synthesizer, beside panel.models',
  'models.thinkingSteps': 'is no setting any more: a step inside the thinking ends after thinkingStepTokens',
  'models.verifier.outputKiB': 'is no setting any more: it is 1024',
  'server.bodyBytes': 'is no setting any more: it is 4 MiB',
  'server.streams': 'is no setting any more: 2000 may be open at a time',
  'models.futileDraws': 'is no setting any more: the selective exit leaves such nodes in',
};

/** Goes on from the name of the setting; `section` is where it stood, such as `models`. */
export function goneSetting(section: string, name: string): string | undefined {
  const places = [...namedParts()].flatMap(([part, own]) => {
    const option = Object.keys(own).find((each) => each === name || own[each]!.flat === name);
    return option === undefined ? [] : [`${part}.${option}`];
  });
  if (section === 'models' && places.length > 0) return `is now ${places.join(' or ')}`;
  const path = `${section}.${name}`;
  return Object.hasOwn(gone, path) ? gone[path] : undefined;
}
