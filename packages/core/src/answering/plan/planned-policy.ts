// The policy of a search, with its rules and options. `layersOf` is the one list of what overrules what.

import { FaultError } from '../../base/fault.ts';
import type { ModelConfig } from '../../config/schema.ts';
import { policySettingKnobs } from '../../config/vocabulary.ts';
import { fittingRules } from '../../policy/check.ts';
import type { PolicyDefinition } from '../../policy/definition.ts';
import { type PolicyOptions, turnedKnobs } from '../../policy/knobs.ts';
import type { Choice } from '../../program/choice.ts';
import type { ProgramDefinition } from '../../program/definition.ts';
import { type Aggregation, isBound } from '../../tree/aggregate.ts';
import type { PlannedProgram } from './planned-program.ts';
import { refuseSetting } from './refusal.ts';
import type { PlannedModel, SearchPlan, Wish } from './search-plan.ts';

type Layer = Partial<PolicyOptions>;

/** `trouble`: why the policy that was asked for by name cannot go with program or aggregation. */
export interface PlannedPolicy extends Pick<SearchPlan, 'policy' | 'policyOptions' | 'aggregation'> {
  readonly trouble: string | undefined;
}

export function policyFor(
  wish: Wish,
  model: PlannedModel,
  { program, choose }: Pick<PlannedProgram, 'program' | 'choose'>,
): PlannedPolicy {
  const { config } = model;
  const aggregation = aggregationOf(model, wish, program);
  const settings: Layer = Object.assign({}, ...layersOf(wish, config, program, choose, aggregation));
  const wanted = wish.policy ?? config.policy;
  const isAsked = wish.policy !== undefined;
  try {
    const { policy, options, trouble } = fittingRules({ wanted, isAsked, settings, program, aggregation });
    return { policy, policyOptions: options, aggregation, trouble };
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
    program.isPriced ? noOtherRules : {},
    saidBy(config),
    // Without a bound along the path these rules act only if the request names them, and are refused then.
    isBound(aggregation) ? {} : noBoundPrunes,
    askedSettings(wish),
    program.keepsRollouts ? noOtherRules : {},
  ];
}

const noBoundPrunes = { boundPrune: 'off' } as const satisfies Layer;

/** The program alone says when a search, or a path of it, is over. */
const noOtherRules = {
  ...noBoundPrunes,
  positiveExit: 'off',
  negativeExit: 'off',
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

/** A request's settings of policies; what an experiment turns goes before them. */
function askedSettings(wish: Wish): Layer {
  return { ...saidBy(wish), ...saidBy(wish.internal ?? {}, turnedKnobs()) };
}

/** The request's settings over those of its model: for a scheduler, which is made without a plan. */
export function policySettings(wish: Wish, config: ModelConfig): Layer {
  return { ...saidBy(config), ...askedSettings(wish) };
}

/** The settings of policies that a configuration or a request gives. */
function saidBy(source: object, knobs: object = policySettingKnobs): Layer {
  const told = source as Readonly<Record<string, unknown>>;
  const names = Object.keys(knobs).filter((name) => told[name] !== undefined);
  return Object.fromEntries(names.map((name) => [name, told[name]])) as Layer;
}

/** The model's settings over those of a policy that is not in the list. */
export function ownSettings({ settings }: PolicyDefinition, config: ModelConfig): Layer {
  return { ...settings, ...saidBy(config) };
}
