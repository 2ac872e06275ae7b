// The calibrated exit, from notes to a section of the file. On one half of the questions the curve is fitted (will more work
// make a wrong answer right?) and a threshold and a cut of the negative exit are chosen together: those that save most tokens
// within the budget of lost answers. On the other half the paired loss is measured, and the exit is refused unless the upper
// end of its 95 % interval is within the budget as well. Pure.

import { chanceOf, type HazardFeature, type HazardModel, hazardFeatures } from '../exit/hazard.ts';
import type { CalibrationSection } from './calibration-file.ts';
import { halvesOf } from './halves.ts';
import { type NotedSearch, triedCuts } from './hazard-notes.ts';
import { fitLogistic } from './logistic.ts';
import { type AnswerPair, expectedOf, lossAtWorst, reportOf } from './paired.ts';
import { momentsOf, rewardsIn } from './rewards-seen.ts';

type HazardSection = Extract<CalibrationSection, { kind: 'hazard' }>;
export type HazardParts = Pick<HazardSection, 'hazard' | 'settings' | 'chosen' | 'reported' | 'expected'>;

/** Why there is no such section, in words. */
export interface NoHazard {
  readonly refused: string;
}

const triedThresholds = [0.005, 0.01, 0.015, 0.02, 0.03, 0.04, 0.05, 0.065, 0.08, 0.1, 0.13, 0.16, 0.2, 0.25];
const candidates = triedCuts.flatMap((cut, at) => triedThresholds.map((below) => ({ cut, at, below })));

export function calibrateHazard(
  searches: readonly NotedSearch[],
  lossBudget: number,
  seed: number,
): HazardParts | NoHazard {
  const { choosing, reporting } = halvesOf(searches, ({ question }) => question, seed);
  if (choosing.length === 0 || reporting.length === 0) return { refused: 'there are too few questions to split' };
  const curve = fitHazard(choosing);
  const best = mostSaving(choosing, curve, lossBudget);
  if (best === undefined) {
    return { refused: `no threshold is sure to lose at most ${lossBudget} points on ${choosing.length} questions` };
  }
  const { candidate, chosen } = best;
  const hazard = { ...curve, below: candidate.below };
  const pairs = reporting.map((search) => pairOf(search, hazard, candidate.at));
  const reported = reportOf(pairs);
  const { high } = reported.pointsLost;
  if (high > lossBudget) {
    return {
      refused: `up to ${high.toFixed(2)} points may be lost on ${reporting.length} questions, and ${lossBudget} are allowed`,
    };
  }
  const expected = { ...expectedOf(pairs), rewards: rewardsAtExits(reporting, hazard, candidate.at) };
  return { hazard, settings: { firstDepthCut: candidate.cut }, chosen, reported, expected };
}

/** Where these thresholds end the searches, as live searches will be read. */
function rewardsAtExits(searches: readonly NotedSearch[], model: HazardModel, cutAt: number) {
  const seen = searches.flatMap(({ notes, ...search }) => {
    const note = notes[Math.min(exitAt({ notes, ...search }, model, cutAt), notes.length - 1)];
    return note === undefined ? [] : [rewardsIn(note.reading)];
  });
  return {
    firstReward: momentsOf(seen.map(({ firstReward }) => firstReward)),
    score: momentsOf(seen.map(({ score }) => score)),
  };
}

/** Of all whose paired loss is within the budget at worst, the one that saves most. */
function mostSaving(searches: readonly NotedSearch[], curve: HazardModel, lossBudget: number) {
  const tried = candidates.map((candidate) => {
    const pairs = searches.map((search) => pairOf(search, { ...curve, below: candidate.below }, candidate.at));
    const report = reportOf(pairs);
    const { questions, pointsLost, tokensSaved } = report;
    const chosen = { questions, pointsLost: pointsLost.value, tokensSaved: tokensSaved.value };
    return { candidate, chosen, atWorst: lossAtWorst(report) };
  });
  const kept = tried.filter(({ atWorst, chosen }) => atWorst <= lossBudget && chosen.tokensSaved > 0);
  return kept.toSorted((a, b) => b.chosen.tokensSaved - a.chosen.tokensSaved)[0];
}

/** Once per rollout, so that a long search does not count for more than its rollouts. The threshold is still to be chosen. */
export function fitHazard(searches: readonly NotedSearch[]): HazardModel {
  const rollouts = hazardFeatures.indexOf('rollouts');
  const rows = searches.flatMap(({ full, notes }) =>
    notes.flatMap(({ reading, right }, at) =>
      notes[at - 1]?.reading[rollouts] === reading[rollouts] ? [] : [{ reading, label: full.right && !right }],
    ),
  );
  if (rows.length === 0) return { bias: 0, weights: named(hazardFeatures.map(() => 0)), below: 0 };
  const { bias, weights } = fitLogistic(rows);
  return { bias: rounded(bias), weights: named(weights.map(rounded)), below: 0 };
}

/** What ends the search under these thresholds: the calibrated exit or the negative one, whichever comes first. */
export function pairOf(search: NotedSearch, model: HazardModel, cutAt: number): AnswerPair {
  const { full, notes } = search;
  const at = exitAt(search, model, cutAt);
  return { full, exited: { ...(notes[at] ?? full), fired: at < notes.length } };
}

/** The note at which it ends; behind the last where nothing ends it. */
function exitAt({ notes, givenUp }: NotedSearch, model: HazardModel, cutAt: number): number {
  const settled = notes.findIndex(({ reading }) => chanceOf(model, reading) < model.below);
  return Math.min(settled < 0 ? notes.length : settled, givenUp[cutAt] ?? notes.length);
}

function named(weights: readonly number[]): Record<HazardFeature, number> {
  return Object.fromEntries(hazardFeatures.map((name, at) => [name, weights[at]!])) as Record<HazardFeature, number>;
}

/** A file is read by people too; the fourth digit of a weight moves no decision. */
function rounded(value: number): number {
  return Number(value.toPrecision(4));
}
