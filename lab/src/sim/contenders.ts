// Rows that only a study has: a policy without each of its parts in turn, rows with parts that the product has no more (../lost), and
// serial MCTS's rules with as many rollouts at a time as the budget has strands (P0 §3.3, its figure 4). All others are the product's.

import { createScheduler, type PolicyName } from 'coppice';
import {
  type PlannedModel,
  type PolicyContender,
  partsOf,
  contenderOf as productContender,
  type RowName,
  type SimulatedSearch,
  type SimulatedSize,
  searchOf,
  turnedKnob,
} from 'coppice/internals';
import { type LostSettings, lostKnobs, lostSearch } from '../lost/lost-search.ts';

interface StudyContender extends PolicyContender {
  /** Parts that the product does not have any more. */
  readonly lost?: LostSettings;
}

export type SimulatedContender = StudyContender | { readonly program: 'parallel' };

/** A row as the product reads it, or one with lost parts turned besides, such as `boost:first=boost:beta=0`. */
export function contenderOf(row: RowName): StudyContender {
  const [name = '', ...settings] = row.split(':');
  const isLost = (setting: string) => Object.hasOwn(lostKnobs, setting.split('=', 1)[0]!);
  const contender = productContender([name, ...settings.filter((each) => !isLost(each))].join(':'));
  const lost = settings.filter(isLost).map((each) => turnedKnob(each, lostKnobs));
  return lost.length === 0 ? contender : { ...contender, lost: Object.fromEntries(lost) };
}

/** A policy, and itself without each of its parts in turn. */
export function ablatedRows(policy: PolicyName): RowName[] {
  return [policy, ...partsOf(policy).map(({ part, off }) => `${policy}:${part}=${off}`)];
}

export function trialSearch(contender: SimulatedContender, model: PlannedModel, size: SimulatedSize): SimulatedSearch {
  if (contender.program !== 'parallel') {
    const { lost } = contender;
    return searchOf(contender, model, size, lost && ((plan) => lostSearch(plan, lost)));
  }
  const { built } = searchOf({ program: 'mcts', policy: 'vanilla' }, model, size);
  const rules = { ...built.rules, boost: true };
  return { built: { ...built, rules }, scheduler: createScheduler('boost', { gate: 0 }) };
}
