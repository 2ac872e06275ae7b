// Where a policy's tokens go, held against one who knows the end (../clairvoyant.ts): of every question what was computed up to
// where its final answer led for good, or where that is wrong up to its first completed rollout, and what was computed after.
// Only the first kind is needed; no policy can know which is which.

import { mean, type RowName, type SettingName } from 'coppice/internals';
import { clairvoyantTokens, type RolloutStanding } from '../clairvoyant.ts';
import type { ComparisonPlan } from '../sim/comparison.ts';
import { contenderOf } from '../sim/contenders.ts';
import { type TrialResult, type TrialSpec, trialDefaults } from '../sim/trial.ts';
import type { TrialPool } from '../sim/trial-pool.ts';

export type WastePlan = Pick<
  ComparisonPlan,
  'settings' | 'rows' | 'seeds' | 'requests' | 'budget' | 'rollouts' | 'threshold' | 'calibration' | 'verifierReuses'
>;

/** Tokens of both models, of a mean question. */
export interface TokenWaste {
  readonly row: RowName;
  readonly rightUntil: number;
  readonly rightAfter: number;
  readonly wrongFirst: number;
  readonly wrongAfter: number;
}

/** All questions at once. */
export async function tokenWaste(plan: WastePlan, pool: Pick<TrialPool, 'run'>): Promise<TokenWaste[]> {
  const places = plan.settings.flatMap((setting) => plan.seeds.map((seed) => ({ setting, seed })));
  const results = await pool.run(plan.rows.flatMap((row) => places.map((place) => specOf(plan, row, place))));
  return plan.rows.map((row, at) => wasteOf(row, results.slice(at * places.length, (at + 1) * places.length)));
}

function specOf(
  { requests, budget, rollouts, threshold, verifierReuses, calibration }: WastePlan,
  row: RowName,
  place: { readonly setting: SettingName; readonly seed: number },
): TrialSpec {
  const system = { requests, budget, rollouts, threshold, verifierReuses, ...(calibration && { calibration }) };
  const watched = { arrivals: { kind: 'backlog' }, watched: true } as const;
  return { ...trialDefaults, ...system, ...place, ...watched, contender: contenderOf(row) };
}

/** What was cut at the exit is in no tree, and not counted. */
function wasteOf(row: RowName, results: readonly TrialResult[]): TokenWaste {
  const seen = results.flatMap(({ standings = [] }) => standings).filter((each) => each.length > 0);
  const meanOf = (isRight: boolean, read: (needed: number, all: number) => number) =>
    mean(seen.map((each) => (each.at(-1)!.right === isRight ? read(clairvoyantTokens(each)!, totalOf(each)) : 0)));
  return {
    row,
    rightUntil: meanOf(true, (needed) => needed),
    rightAfter: meanOf(true, (needed, all) => all - needed),
    wrongFirst: meanOf(false, (needed) => needed),
    wrongAfter: meanOf(false, (needed, all) => all - needed),
  };
}

function totalOf(seen: readonly RolloutStanding[]): number {
  return seen.at(-1)!.tokens;
}

export function wasteLines(wastes: readonly TokenWaste[]): string[] {
  return [
    '| | tokens a question | right: until the answer leads for good | after | wrong: the first rollout | after | needed |',
    '|---|--:|--:|--:|--:|--:|--:|',
    ...wastes.map(({ row, rightUntil, rightAfter, wrongFirst, wrongAfter }) => {
      const all = rightUntil + rightAfter + wrongFirst + wrongAfter;
      const parts = [all, rightUntil, rightAfter, wrongFirst, wrongAfter].map((each) => each.toFixed(0));
      return `| ${[row, ...parts, `${((100 * (rightUntil + wrongFirst)) / all).toFixed(0)} %`].join(' | ')} |`;
    }),
  ];
}
