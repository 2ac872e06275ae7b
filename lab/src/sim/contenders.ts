// Rows that only a study has: a policy without each of its parts in turn, rows with parts that the product no longer has (../lost), and
// serial MCTS's rules with as many rollouts at a time as the budget has strands (P0 §3.3, its figure 4). All other rows are the product's.

import type { PlannedModel } from '@coppice/core/answering';
import { policyDefinition, policyOf } from '@coppice/core/policy';
import { createScheduler, type PolicyName } from 'coppice';
import { type AttainedName, attainedNames, attainedOrder } from '../baselines/attained-service.ts';
import { type LostSettings, lostKnobs, lostSearch } from '../lost/lost-search.ts';
import {
  contenderOf as productContender,
  type RowName,
  type SimulatedSearch,
  searchOf,
  turnedKnob,
} from '../service/index.ts';

interface StudyContender extends ReturnType<typeof productContender> {
  /** Parts that the product does not have any more. */
  readonly lost?: LostSettings;
  /** Its requests are ordered by attained service. */
  readonly attained?: AttainedName;
}

export type SimulatedContender = StudyContender | { readonly program: 'parallel' };

/**
 * A product row, or one with lost parts turned too, such as `boost:first=boost:beta=0`, or one whose requests are
 * ordered by attained service: `las+safe` has the exits of `safe`, natural widths, and no admission.
 */
export function contenderOf(row: RowName): StudyContender {
  const attained = attainedNames.find((each) => row.startsWith(`${each}+`));
  if (attained !== undefined) {
    return { ...contenderOf(`${row.slice(attained.length + 1)}:widths=natural`), attained };
  }
  const [name = '', ...settings] = row.split(':');
  const isLost = (setting: string) => Object.hasOwn(lostKnobs, setting.split('=', 1)[0]!);
  const contender = productContender([name, ...settings.filter((each) => !isLost(each))].join(':'));
  const lost = settings.filter(isLost).map((each) => turnedKnob(each, lostKnobs));
  return lost.length === 0 ? contender : { ...contender, lost: Object.fromEntries(lost) };
}

/** A policy, and the same policy without each of its parts in turn. */
export function ablatedRows(policy: PolicyName): RowName[] {
  const { settings: off } = policyOf('vanilla');
  const parts = Object.entries(off).filter(([part, value]) => {
    return (policyOf(policy).settings as Readonly<Record<string, unknown>>)[part] !== value;
  });
  return [policy, ...parts.map(([part, value]) => `${policy}:${part}=${value}`)];
}

export function trialSearch(
  contender: SimulatedContender,
  model: PlannedModel,
  size: Parameters<typeof searchOf>[2],
): SimulatedSearch {
  if ('policy' in contender) {
    const { lost, attained } = contender;
    const search = searchOf(contender, model, size, lost && ((plan) => lostSearch(plan, lost)));
    if (attained === undefined) return search;
    const definition = policyDefinition({ ...policyOf(contender.policy), order: attainedOrder(attained) });
    return { ...search, scheduler: createScheduler(definition, { widths: 'natural' }) };
  }
  const { built } = searchOf({ program: 'mcts', policy: 'vanilla' }, model, size);
  const rules = { ...built.rules, boost: true };
  return { built: { ...built, rules }, scheduler: createScheduler('boost', { gate: 0 }) };
}
