// Rows that only a study has: a policy without each of its parts in turn, and serial MCTS's rules with as many rollouts at a time
// as the budget has strands (P0 §3.3, its figure 4). All others are the product's.

import { createScheduler, type PolicyName } from 'coppice';
import {
  type PlannedModel,
  type PolicyContender,
  partsOf,
  type RowName,
  type SimulatedSearch,
  type SimulatedSize,
  searchOf,
} from 'coppice/internals';

export type SimulatedContender = PolicyContender | { readonly program: 'parallel' };

/** A policy, and itself without each of its parts in turn. */
export function ablatedRows(policy: PolicyName): RowName[] {
  return [policy, ...partsOf(policy).map(({ part, off }) => `${policy}:${part}=${off}`)];
}

export function trialSearch(contender: SimulatedContender, model: PlannedModel, size: SimulatedSize): SimulatedSearch {
  if (contender.program !== 'parallel') return searchOf(contender, model, size);
  const { built } = searchOf({ program: 'mcts', policy: 'vanilla' }, model, size);
  const rules = { ...built.rules, boost: true };
  return { built: { ...built, rules }, scheduler: createScheduler('boost', { gate: 0 }) };
}
