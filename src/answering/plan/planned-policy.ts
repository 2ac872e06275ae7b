// The policy of a search, with its rules and options: what was asked for goes before what the model has.

import { defaultsOf } from '../../base/knob.ts';
import type { ModelConfig } from '../../config/schema.ts';
import type { PolicyDefinition } from '../../policy/definition.ts';
import { type FittingRules, fittingRules, fittingSettings } from '../../policy/fitting.ts';
import { type PolicyOptions, policyKnobs } from '../../policy/knobs.ts';
import type { Choice } from '../../program/choice.ts';
import type { Aggregation } from '../../tree/aggregate.ts';
import { type KnownProgram, refuseOptions } from './plan-check.ts';
import { given, type PlannedModel, type SearchPlan, type Wish } from './search-plan.ts';

interface PlannedPolicy extends FittingRules, Pick<SearchPlan, 'aggregation'> {}

export function policyFor(wish: Wish, model: PlannedModel, program: KnownProgram, choose: Choice): PlannedPolicy {
  const { config } = model;
  const aggregation = aggregationOf(model, wish, program);
  const said = {
    ...partsFor(choose, wish.answers),
    ...program.policySettings,
    ...policySettings(wish, config),
    ...severally(wish),
    ...(program.keepsRollouts ? keepingAll : {}),
  };
  const settings = fittingSettings(said, { ...wish, ...wish.internal }, aggregation);
  const wanted = wish.policy ?? config.policy;
  const isAsked = wish.policy !== undefined;
  try {
    return { aggregation, ...fittingRules({ wanted, isAsked, settings, program, aggregation }) };
  } catch (error) {
    return refuseOptions(wanted, error);
  }
}

/** No rule ends a search, or a path of it, before its rollouts are there. */
const keepingAll = {
  positiveExit: 'off',
  negativeExit: 'off',
  certain: 'off',
  boundPrune: 'off',
  beatPrune: 0,
} as const satisfies Partial<PolicyOptions>;

/** A search for several different answers does not stop because one of them is certain. */
function severally({ answers = 1, certain }: Wish): Partial<PolicyOptions> {
  return answers > 1 && certain === undefined ? { certain: 'off' } : {};
}

export function aggregationOf(
  { config, verifier }: PlannedModel,
  wish: Wish,
  program?: Pick<KnownProgram, 'aggregation'>,
): Aggregation {
  return (
    program?.aggregation ?? wish.aggregation ?? config.aggregation ?? verifier?.capabilities.aggregation ?? 'product'
  );
}

/**
 * Where paths vote, one that cannot win still has a vote, and where several answers are wanted it may bring another: what ends such
 * paths unless a request or the operator asked for it would take that away.
 */
function partsFor(choose: Choice, answers = 1): Partial<PolicyOptions> {
  return choose === 'best' && answers === 1 ? {} : { boundPrune: 'off', beatPrune: 0 };
}

/** The knobs of a policy that are set: as asked for, else as configured for the model. */
export function policySettings(wish: Wish, config: ModelConfig): Partial<PolicyOptions> {
  const told: Readonly<Record<string, unknown>> = { ...config, ...given(wish), ...wish.internal };
  const said = Object.keys(policyKnobs).flatMap((name) => (told[name] === undefined ? [] : [[name, told[name]]]));
  return Object.fromEntries(said) as Partial<PolicyOptions>;
}

/**
 * Of a policy that is not in the list: its own settings, with what the model's say instead. A setting at its default says nothing: a
 * model that no file told otherwise has `certain: off` too, and must not take the policy's rule away.
 */
export function ownSettings({ settings }: PolicyDefinition, config: ModelConfig): Partial<PolicyOptions> {
  const defaults: Readonly<Record<string, unknown>> = defaultsOf(policyKnobs);
  const said = Object.entries(policySettings({}, config)).filter(([name, value]) => value !== defaults[name]);
  return { ...settings, ...Object.fromEntries(said) };
}
