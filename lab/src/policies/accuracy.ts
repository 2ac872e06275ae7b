// How often policies answer right, paired question by question with `positive`: with one strand a search, which is what saturation
// leaves, and with all that it can use, one search at a time. What grows with one strand depends on nothing but question and
// seed, so that a search alone answers as it would in a full house.

import { mean, type RowName, type SettingName } from 'coppice/internals';
import type { ComparisonPlan } from '../sim/comparison.ts';
import { contenderOf } from '../sim/contenders.ts';
import { type TrialResult, type TrialSpec, trialDefaults } from '../sim/trial.ts';
import type { TrialPool } from '../sim/trial-pool.ts';
import { type Estimate, estimate } from '../statistics.ts';

export type AccuracyPlan = Pick<
  ComparisonPlan,
  'settings' | 'rows' | 'seeds' | 'requests' | 'budget' | 'rollouts' | 'threshold' | 'calibration'
>;

export interface AccuracyLine {
  readonly row: RowName;
  /** Of one search. */
  readonly strands: number;
  /** In percent. */
  readonly accuracy: number;
  readonly accepted: number;
  /** Generated, of a mean question. */
  readonly tokens: number;
  /** Points above `positive`, setting by setting, and over all. */
  readonly gained: readonly Estimate[];
  readonly gainedInAll: Estimate;
  readonly questions: number;
}

const yardstick: RowName = 'positive';

export async function accuracyLines(plan: AccuracyPlan, pool: Pick<TrialPool, 'run'>): Promise<AccuracyLine[]> {
  const { settings, seeds, budget } = plan;
  const places = settings.flatMap((setting) => seeds.map((seed) => ({ setting, seed })));
  const others = plan.rows.filter((row) => row !== yardstick);
  const rows = [
    { row: yardstick, strands: 1 },
    ...others.flatMap((row) => [1, budget].map((strands) => ({ row, strands }))),
  ];
  const results = await pool.run(rows.flatMap((row) => places.map((place) => specOf(plan, row, place))));
  const of = (at: number) => results.slice(at * places.length, (at + 1) * places.length);
  return rows.map(({ row, strands }, at) => {
    const own = of(at);
    const gained = pairedPoints(own, of(0), seeds.length);
    const served = own.flatMap((each) => each.served);
    return {
      row,
      strands,
      questions: served.length,
      accuracy: 100 * mean(served.map(({ correct }) => Number(correct))),
      accepted: 100 * mean(served.map(({ exit }) => Number(exit === 'accepted'))),
      tokens: mean(served.map(({ tokens }) => tokens)),
      gained: gained.map((points) => estimate([points])),
      gainedInAll: estimate(gained),
    };
  });
}

function specOf(
  { requests, rollouts, threshold, calibration }: AccuracyPlan,
  { row, strands }: { readonly row: RowName; readonly strands: number },
  place: { readonly setting: SettingName; readonly seed: number },
): TrialSpec {
  const system = { requests, rollouts, threshold, budget: strands, ...(calibration && { calibration }) };
  return { ...trialDefaults, ...system, ...place, contender: contenderOf(row), arrivals: { kind: 'one-by-one' } };
}

/** Of every setting, question by question: 100 where only this one was right, -100 where only the other was. */
function pairedPoints(own: readonly TrialResult[], others: readonly TrialResult[], seeds: number): number[][] {
  const points = own.map(({ served }, at) =>
    served.map(({ correct }, question) => 100 * (Number(correct) - Number(others[at]!.served[question]!.correct))),
  );
  return Array.from({ length: points.length / seeds }, (_, at) => points.slice(at * seeds, (at + 1) * seeds).flat());
}

export function accuracyTable(settings: readonly SettingName[], lines: readonly AccuracyLine[]): string[] {
  return [
    `| | strands | accuracy % | accepted % | tokens | ${settings.map((name) => `Δ ${name}`).join(' | ')} | Δ mean |`,
    `|---|${'--:|'.repeat(settings.length + 5)}`,
    ...lines.map(({ row, strands, accuracy, accepted, tokens, gained, gainedInAll }) => {
      const figures = [accuracy.toFixed(1), accepted.toFixed(1), tokens.toFixed(0)];
      return `| ${[row, strands, ...figures, ...gained.map(pointsText), pointsText(gainedInAll)].join(' | ')} |`;
    }),
  ];
}

function pointsText({ value, half = 0 }: Estimate): string {
  return `${value > 0 ? '+' : ''}${value.toFixed(2)} ± ${half.toFixed(2)}`;
}
