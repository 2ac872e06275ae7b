// The rows of P0's comparison (§5.1) as combinations of the same parts. Each row adds to the one before it.

import { raise } from '../base/fault.ts';
import { budgets } from '../exit/budgets.ts';
import { certainExit } from '../exit/certain.ts';
import type { ExitRule, PruneRule } from '../exit/exit.ts';
import { selectiveNegative, strictNegative } from '../exit/negative.ts';
import { positive } from '../exit/positive.ts';
import { pruneBound } from '../exit/prune-bound.ts';
import { pruneChance } from '../exit/prune-chance.ts';
import { prunePromise } from '../exit/prune-promise.ts';
import { dynamicScheduler } from '../scheduler/dynamic.ts';
import type { Scheduler } from '../scheduler/scheduler.ts';
import { naturalWidths, shareWidths } from '../scheduler/widths.ts';
import { type PolicyOptions, resolveOptions } from './knobs.ts';
import { type Policy, type PolicyName, policyNames, type Rules } from './policy.ts';

/** Rules are checked in this order; the first that fires ends the search, so an accepted answer is never called futile. */
const exits: Readonly<Record<PolicyName, (options: PolicyOptions) => readonly ExitRule[]>> = {
  vanilla: () => [],
  positive: () => [positive],
  'positive+strict': () => [positive, strictNegative],
  'positive+negative': (options) => [positive, selective(options)],
  boost: (options) => [positive, selective(options)],
};

/** Where it is turned on, any policy may end a search because its answers agree; every policy has the budgets. */
function allExits(name: PolicyName, options: PolicyOptions): ExitRule[] {
  const certain = options.certain === 'off' ? [] : [certainExit(options.certain, options)];
  return [...exits[name](options), ...certain, ...budgets];
}

function selective({ firstDepthCut, futileDraws }: PolicyOptions): ExitRule {
  return selectiveNegative(firstDepthCut, futileDraws);
}

export function createPolicy(name: PolicyName, given: Partial<PolicyOptions> = {}): Policy {
  const rules = createRules(name, given);
  return { name, rules, scheduler: createScheduler(name, given) };
}

/** The part that belongs to one search. */
export function createRules(name: PolicyName, given: Partial<PolicyOptions> = {}): Rules {
  requireName(name);
  const options = resolveOptions(given);
  return { exits: allExits(name, options), prunes: prunes(options), boost: name === 'boost' };
}

/** The part that shares the budget of one model between all its searches. */
export function createScheduler(name: PolicyName, given: Partial<PolicyOptions> = {}): Scheduler {
  requireName(name);
  const options = resolveOptions(given);
  return name === 'boost' ? boosting(options) : serial(options);
}

function requireName(name: PolicyName): void {
  if (policyNames.includes(name)) return;
  raise('bad-setting', `there is no policy '${name}'; there are ${policyNames.join(', ')}`);
}

function prunes({ boundPrune, chancePrune, promisePrune }: PolicyOptions): PruneRule[] {
  const bound = boundPrune === 'off' ? [] : [pruneBound(boundPrune)];
  const chance = chancePrune === 0 ? [] : [pruneChance(chancePrune)];
  return promisePrune === 0 ? [...bound, ...chance] : [...bound, ...chance, prunePromise(promisePrune)];
}

/** Every search at its program's natural width: one rollout at a time for MCTS. */
function serial({ first, preemption, ageingSeconds, speculate, idleBeside: beside }: PolicyOptions): Scheduler {
  const options = { first, preemption, ageingSeconds, speculate, beside };
  return dynamicScheduler({ name: 'natural', widths: naturalWidths, ...options });
}

/** Algorithm 1. */
function boosting({ beta, gate, lambda, progress, ...options }: PolicyOptions): Scheduler {
  const { first, preemption, ageingSeconds, speculate, idleBeside: beside } = options;
  const widths = shareWidths({ beta, gate, lambda, progress });
  return dynamicScheduler({
    name: `boost-${first}-first`,
    widths,
    first,
    preemption,
    ageingSeconds,
    speculate,
    beside,
  });
}
