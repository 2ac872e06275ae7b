// From a policy's parts to what runs: the rules of one search, and the scheduler that all searches of a model share.

import { raise } from '../base/fault.ts';
import { budgets } from '../exit/budgets.ts';
import { certainExit } from '../exit/certain.ts';
import { concluded } from '../exit/concluded.ts';
import type { ExitRule, PruneRule } from '../exit/exit.ts';
import { type HazardModel, hazardExit } from '../exit/hazard.ts';
import { exitByLength } from '../exit/length.ts';
import { selectiveNegative, strictNegative } from '../exit/negative.ts';
import { positive } from '../exit/positive.ts';
import { pruneBound } from '../exit/prune-bound.ts';
import { pruneChance, pruneOutdone } from '../exit/prune-chance.ts';
import { pruneConfidence } from '../exit/prune-confidence.ts';
import { prunePromise } from '../exit/prune-promise.ts';
import { algorithm1Scheduler } from '../scheduler/algorithm-1.ts';
import type { Scheduler } from '../scheduler/scheduler.ts';
import { naturalWidths, shareWidths, type WidthRule } from '../scheduler/widths.ts';
import { slackWidths, worthWidths } from '../scheduler/worth.ts';
import { type PolicyOptions, resolveOptions } from './knobs.ts';
import { contradiction, policyParts } from './parts.ts';
import { type Policy, type PolicyName, policyNames, type Rules } from './policy.ts';

export function createPolicy(name: PolicyName, given: Partial<PolicyOptions> = {}): Policy {
  const rules = createRules(name, given);
  return { name, rules, scheduler: createScheduler(name, given) };
}

/** The part that belongs to one search. `hazard`: what its calibrated exit goes by, where there is a calibration. */
export function createRules(name: PolicyName, given: Partial<PolicyOptions> = {}, hazard?: HazardModel): Rules {
  const options = optionsOf(name, given);
  return {
    exits: exits(options, hazard),
    prunes: prunes(options),
    boost: options.widths !== 'natural',
    speculate: options.speculate,
    extendsUnscored: options.extend === 'unscored',
    gathersScores: options.scores === 'gathered',
  };
}

/** The part that shares the budget of one model between all its searches. */
export function createScheduler(name: PolicyName, given: Partial<PolicyOptions> = {}): Scheduler {
  return schedulerBy(optionsOf(name, given));
}

/** Reads the knobs of the budget alone; exits and prunes are the searches' own. */
function schedulerBy(options: PolicyOptions): Scheduler {
  const { widths, first, preemption, ageingSeconds, order, speculate, idleFirst, idleBeside: beside } = options;
  const called = widths === 'natural' || first === 'admit' ? widths : `${widths}-first`;
  const shared = { first, preemption, ageingSeconds, order, speculate, idleFirst, beside };
  return algorithm1Scheduler({ name: called, widths: widthRule(options), ...shared });
}

/**
 * Of a model whose requests may each choose their policy: it boosts only those whose own policy says so, by the width rule of
 * the model's policy, or by that of `safe` where the model's own boosts nobody.
 */
export function createSharedScheduler(name: PolicyName, given: Partial<PolicyOptions> = {}): Scheduler {
  optionsOf(name, given);
  const { widths, boostAt, gate } = policyParts[policyParts[name].widths === 'natural' ? 'safe' : name];
  return schedulerBy(resolveOptions({ ...policyParts[name], widths, boostAt, gate }, given));
}

/** Every knob of a policy: as given, else as the policy sets its parts, else at its default. */
export function optionsOf(name: PolicyName, given: Partial<PolicyOptions>): PolicyOptions {
  if (!policyNames.includes(name)) {
    return raise('bad-setting', `there is no policy '${name}'; there are ${policyNames.join(', ')}`);
  }
  const options = resolveOptions(policyParts[name], given);
  const wrong = contradiction(name, options);
  return wrong === undefined ? options : raise('bad-setting', wrong);
}

/** Rules are checked in this order; the first that fires ends the search, so an accepted answer is never called futile. */
function exits(options: PolicyOptions, hazard: HazardModel | undefined): ExitRule[] {
  const { certain, positiveExit, settledExit, lengthExit, certainAnswers } = options;
  const accepting = positiveExit === 'on' ? [positive] : [];
  const settled = settledExit === 'off' || hazard === undefined ? [] : [hazardExit(hazard)];
  const agreeing = certain === 'off' ? [] : [certainExit(certain, options)];
  const long = lengthExit === 0 ? [] : [exitByLength(lengthExit, certainAnswers)];
  return [...accepting, ...negativeExits(options), ...settled, ...agreeing, ...long, concluded, ...budgets];
}

function negativeExits({ negativeExit, firstDepthCut, futileDraws }: PolicyOptions): ExitRule[] {
  if (negativeExit === 'off') return [];
  return [negativeExit === 'strict' ? strictNegative : selectiveNegative(firstDepthCut, futileDraws)];
}

function prunes(options: PolicyOptions): PruneRule[] {
  const { boundPrune, chancePrune, beatPrune, promisePrune, confidencePrune } = options;
  const bound = boundPrune === 'off' ? [] : [pruneBound(boundPrune)];
  const chance = chancePrune === 0 ? [] : [pruneChance(chancePrune)];
  const outdone = beatPrune === 0 ? [] : [pruneOutdone(beatPrune)];
  const promise = promisePrune === 0 ? [] : [prunePromise(promisePrune)];
  return [...bound, ...chance, ...outdone, ...promise, ...(confidencePrune === 0 ? [] : [pruneConfidence(options)])];
}

function widthRule(options: PolicyOptions): WidthRule {
  switch (options.widths) {
    case 'natural':
      return naturalWidths;
    case 'shares':
      return shareWidths(options);
    case 'slack':
      return slackWidths(options);
    case 'worth':
      return worthWidths(options);
  }
}
