// What speculation gives a single search, simulated (P3 §6.2): every kind of program with and without it, the same questions one
// after the other on an idle machine. Time is that of the whole search; waste is the share of its tokens that the search without
// did not need; a guess was right where its ghost became a child. Answers are compared one by one: none may differ.

import type { Guesses } from '../../log/growth-meter.ts';
import { type ComparisonPlan, specOf } from '../sim/comparison.ts';
import type { RowName } from '../sim/contenders.ts';
import { outcomeOf, type Served } from '../sim/service.ts';
import { runTrial, type TrialSpec } from '../sim/trial.ts';
import { mean, percentile } from '../statistics.ts';

/** Most speculative strands of a search. */
const speculativeWidths = [2, 4, 8] as const;

export interface SpeculationLine {
  readonly row: RowName;
  readonly speculate: number;
  readonly p50Ms: number;
  /** Times of the same questions without speculation over these: of the medians, and the geometric mean over questions. */
  readonly medianGain: number;
  readonly meanGain: number;
  readonly tokens: number;
  /** In percent. */
  readonly waste: number;
  /** By steps ahead of the tree. */
  readonly guesses: readonly Guesses[];
  /** Questions whose outcome differs from the one without. */
  readonly different: number;
}

type SpeculationPlace = Pick<TrialSpec, 'setting' | 'seed'>;

export function speculationLines(
  plan: ComparisonPlan,
  onLine: (done: number, all: number) => void = () => {},
): SpeculationLine[] {
  const places = plan.settings.flatMap((setting) => plan.seeds.map((seed) => ({ setting, seed })));
  const all = plan.rows.length * (1 + speculativeWidths.length);
  let done = 0;
  return plan.rows.flatMap((row) => {
    const without = serve(plan, places, row, 0);
    return [0, ...speculativeWidths].map((speculate) => {
      const line = lineOf(row, speculate, speculate === 0 ? without : serve(plan, places, row, speculate), without);
      done += 1;
      onLine(done, all);
      return line;
    });
  });
}

interface ServedRow {
  readonly served: readonly Served[];
  readonly guesses: readonly Guesses[];
}

function serve(plan: ComparisonPlan, places: readonly SpeculationPlace[], row: RowName, speculate: number): ServedRow {
  const ahead = speculate === 0 ? row : `${row}:speculate=${speculate}`;
  const results = places.map((place) => runTrial(specOf(plan, { ...place, row: ahead }, { kind: 'one-by-one' })));
  const guesses = addedUp(results.map(({ growth }) => growth.byDistance));
  return { served: results.flatMap(({ served }) => served), guesses };
}

function addedUp(all: readonly (readonly Guesses[])[]): Guesses[] {
  const longest = Math.max(...all.map(({ length }) => length));
  return Array.from({ length: longest }, (_, at) => {
    const own = all.flatMap((guesses) => guesses[at] ?? []);
    const sum = (of: keyof Guesses) => own.reduce((total, each) => total + each[of], 0);
    return { guessed: sum('guessed'), right: sum('right') };
  });
}

function lineOf(row: RowName, speculate: number, ahead: ServedRow, { served: without }: ServedRow): SpeculationLine {
  const [took, before] = [ahead.served.map(tookMs), without.map(tookMs)];
  const [tokens, needed] = [ahead.served, without].map((rows) => mean(rows.map((each) => each.tokens))) as [
    number,
    number,
  ];
  const p50Ms = percentile(took, 50);
  return {
    ...{ row, speculate, p50Ms, tokens },
    medianGain: percentile(before, 50) / p50Ms,
    meanGain: Math.exp(mean(took.map((ms, at) => Math.log(before[at]! / ms)))),
    waste: 100 * (1 - needed / tokens),
    guesses: ahead.guesses,
    different: ahead.served.filter((each, at) => outcomeOf(each) !== outcomeOf(without[at]!)).length,
  };
}

function tookMs({ arrivalMs, endedMs }: Served): number {
  return endedMs - arrivalMs;
}

/** As a table of Markdown. */
export function speculationTable(lines: readonly SpeculationLine[]): string {
  const head =
    'row | speculate | p50 s | speed-up, median | speed-up, mean | tokens | waste, % | right 1, 2, 3 steps ahead, % | different';
  const rows = lines.map(({ row, speculate, p50Ms, medianGain, meanGain, tokens, waste, guesses, different }) => {
    const gains =
      speculate === 0
        ? ['', '', tokens.toFixed(0), '', '', '']
        : [
            medianGain.toFixed(2),
            meanGain.toFixed(2),
            tokens.toFixed(0),
            waste.toFixed(0),
            guesses.slice(0, 3).map(rightOf).join(', '),
            String(different),
          ];
    return [`\`${row}\``, speculate, (p50Ms / 1000).toFixed(1), ...gains].join(' | ');
  });
  return [head, '---|--:|--:|--:|--:|--:|--:|---|--:', ...rows].map((line) => `| ${line} |`).join('\n');
}

function rightOf({ guessed, right }: Guesses): string {
  return guessed === 0 ? '-' : ((100 * right) / guessed).toFixed(0);
}
