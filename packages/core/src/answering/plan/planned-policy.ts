// The policy of a search, with its rules and options. `layersOf` is the one list of what overrules what.

import { FaultError } from '../../base/fault.ts';
import { optionsGiven } from '../../config/named-options.ts';
import type { ModelConfig } from '../../config/schema.ts';
import { policySettingKnobs } from '../../config/vocabulary.ts';
import { fittingRules } from '../../policy/check.ts';
import type { PolicyDefinition } from '../../policy/definition.ts';
import { type PolicyOptions, policyKnobs } from '../../policy/knobs.ts';
import type { Choice } from '../../program/choice.ts';
import type { ProgramDefinition } from '../../program/definition.ts';
import { type Aggregation, isBound } from '../../tree/aggregate.ts';
import { refuseSetting } from './plan-check.ts';
import type { PlannedModel, Wish } from './search-plan.ts';

type Layer = Partial<PolicyOptions>;

export function policyFor(wish: Wish, model: PlannedModel, program: ProgramDefinition, choose: Choice) {
  const { config } = model;
  const aggregation = aggregationOf(model, wish, program);
  const settings: Layer = Object.assign({}, ...layersOf(wish, config, program, choose, aggregation));
  const wanted = wish.policy ?? config.policy;
  const isAsked = wish.policy !== undefined;
  try {
    return { aggregation, ...fittingRules({ wanted, isAsked, settings, program, aggregation }) };
  } catch (error) {
    if (!(error instanceof FaultError)) throw error;
    return refuseSetting('unsupported', 'policy', `is '${wanted}': ${error.fault.message}`);
  }
}

/** Lists the layers of policy options: each overrules those above it, and all of them the policy's own settings. */
function layersOf(
  wish: Wish,
  config: ModelConfig,
  program: ProgramDefinition,
  choose: Choice,
  aggregation: Aggregation,
): readonly Layer[] {
  const { answers = 1 } = wish;
  return [
    // Without scores there is no bound; with votes, or several wanted answers, a path that cannot win still counts.
    program.needsVerifier && choose === 'best' && answers === 1 ? {} : noBoundPrunes,
    program.policySettings ?? {},
    configuredSettings(config, wish),
    // Without a bound along the path, these rules act only where the request names them, and are refused there.
    isBound(aggregation) ? {} : noBoundPrunes,
    // A search for several answers goes on after a certain one.
    answers > 1 ? { certain: 'off' } : {},
    askedSettings(wish, config),
    program.keepsRollouts ? keepingAll : {},
  ];
}

const noBoundPrunes = { boundPrune: 'off' } as const satisfies Layer;

/** No rule ends a search, or a path of it, before its rollouts are there. */
const keepingAll = {
  ...noBoundPrunes,
  positiveExit: 'off',
  negativeExit: 'off',
  certain: 'off',
} as const satisfies Layer;

export function aggregationOf(
  { config, verifier }: PlannedModel,
  wish: Wish,
  program?: Pick<ProgramDefinition, 'aggregation'>,
): Aggregation {
  return (
    program?.aggregation ?? wish.aggregation ?? config.aggregation ?? verifier?.capabilities.aggregation ?? 'product'
  );
}

/** The model's settings of its policy, and the options of the rules in force. */
export function configuredSettings(config: ModelConfig, wish: Wish = {}): Layer {
  return { ...saidBy(config), ...ruleOptions(config, wish.certain ?? config.certain) };
}

/** A request's settings, with what an experiment turns. */
function askedSettings(wish: Wish, config: ModelConfig): Layer {
  return {
    ...saidBy(wish),
    ...ruleOptions(wish, wish.certain ?? config.certain),
    ...saidBy(wish.internal ?? {}, policyKnobs),
  };
}

/** Both, for what is made without a plan. */
export function policySettings(wish: Wish, config: ModelConfig): Layer {
  return { ...configuredSettings(config, wish), ...askedSettings(wish, config) };
}

function saidBy(source: object, knobs: object = policySettingKnobs): Layer {
  const told = source as Readonly<Record<string, unknown>>;
  const names = Object.keys(knobs).filter((name) => told[name] !== undefined);
  return Object.fromEntries(names.map((name) => [name, told[name]])) as Layer;
}

/** Rules of certainty share their options: those of the rule in force count. */
function ruleOptions(source: object, certain: string | undefined): Layer {
  return { ...optionsGiven(source, 'promise'), ...(certain === undefined ? {} : optionsGiven(source, certain)) };
}

/** Settings of a policy that is not in the list, overruled by the model's. */
export function ownSettings({ settings }: PolicyDefinition, config: ModelConfig): Layer {
  return { ...settings, ...configuredSettings(config) };
}
