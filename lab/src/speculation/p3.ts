// What speculation gives a single search, simulated (P3 §6.2): every kind of program with and without it, the same questions one
// after the other on an idle machine. Time is that of the whole search; waste is the share of its tokens that the search without
// did not need; a guess was right where the program came to ask for it. Answers are compared one by one: none may differ.

import {
  addGuesses,
  type Guesses,
  mean,
  outcomeOf,
  percentile,
  type RowName,
  type Served,
  tookMs,
} from 'coppice/internals';
import { type ComparisonPlan, specOf } from '../sim/comparison.ts';
import { runTrial, type TrialSpec } from '../sim/trial.ts';

/** Most speculative strands of a search. */
const speculativeWidths = [2, 4, 8] as const;

/** Searches at a time, and the speculative width with which company is tried. */
const companies = [4, 16] as const;
export const widthInCompany = 4;

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
  readonly byDistance: readonly Guesses[];
  readonly byDepth: readonly Guesses[];
  /** Questions whose outcome differs from the one without. */
  readonly different: number;
}

/** Several searches at a time (the batch size of P3's figure 10): how many are done in a minute, with speculation and without. */
export interface CompanyLine {
  readonly row: RowName;
  readonly together: number;
  readonly perMinute: number;
  readonly perMinuteWithout: number;
  /** In percent. */
  readonly waste: number;
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

export function companyLines(
  plan: ComparisonPlan,
  onLine: (done: number, all: number) => void = () => {},
): CompanyLine[] {
  const places = plan.settings.flatMap((setting) => plan.seeds.map((seed) => ({ setting, seed })));
  const tried = plan.rows.flatMap((row) => companies.map((together) => ({ row, together })));
  return tried.map(({ row, together }, at) => {
    const without = serve(plan, places, row, 0, together);
    const ahead = serve(plan, places, row, widthInCompany, together);
    onLine(at + 1, tried.length);
    const paces = { perMinute: perMinute(ahead), perMinuteWithout: perMinute(without) };
    return { row, together, ...paces, waste: wasteOf(ahead, without) };
  });
}

function perMinute({ served, spanMs }: ServedRow): number {
  return (60_000 * served.length) / spanMs;
}

interface ServedRow {
  readonly served: readonly Served[];
  /** From the first arrival to the last end, over all places. */
  readonly spanMs: number;
  readonly byDistance: readonly Guesses[];
  readonly byDepth: readonly Guesses[];
}

function serve(
  plan: ComparisonPlan,
  places: readonly SpeculationPlace[],
  row: RowName,
  speculate: number,
  together = 1,
): ServedRow {
  const ahead = speculate === 0 ? row : `${row}:speculate=${speculate}`;
  const arrivals = { kind: 'one-by-one', together } as const;
  const results = places.map((place) => runTrial(specOf(plan, { ...place, row: ahead }, arrivals)));
  const [byDistance, byDepth]: [Guesses[], Guesses[]] = [[], []];
  for (const { growth } of results) {
    addGuesses(byDistance, growth.byDistance);
    addGuesses(byDepth, growth.byDepth);
  }
  const spanMs = results.reduce((sum, { served }) => sum + Math.max(...served.map(({ endedMs }) => endedMs)), 0);
  return { served: results.flatMap(({ served }) => served), spanMs, byDistance, byDepth };
}

function lineOf(row: RowName, speculate: number, ahead: ServedRow, without: ServedRow): SpeculationLine {
  const [took, before] = [ahead.served.map(tookMs), without.served.map(tookMs)];
  const p50Ms = percentile(took, 50);
  return {
    row,
    speculate,
    p50Ms,
    tokens: tokensOf(ahead),
    medianGain: percentile(before, 50) / p50Ms,
    meanGain: Math.exp(mean(took.map((ms, at) => Math.log(before[at]! / ms)))),
    waste: wasteOf(ahead, without),
    byDistance: ahead.byDistance,
    byDepth: ahead.byDepth,
    different: ahead.served.filter((each, at) => outcomeOf(each) !== outcomeOf(without.served[at]!)).length,
  };
}

function tokensOf({ served }: ServedRow): number {
  return mean(served.map(({ tokens }) => tokens));
}

function wasteOf(ahead: ServedRow, without: ServedRow): number {
  return 100 * (1 - tokensOf(without) / tokensOf(ahead));
}
