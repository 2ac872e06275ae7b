// Tests whether speculation ever hurts under load: settings drawn at random (../policies), with a program and a policy, serve the same
// requests at the same instants with speculation and without. Reports the ratios of median and p99, with an
// interval from pairs of requests. Evaluated in ../experiments/under-load.ts.
//
// If strands of one search run in parallel, the search changes as soon as two steps arrive in another order, and times differ by
// chance. Such settings are served several times in each way, with arrivals a few milliseconds later every time. That
// narrows the interval, and two servings without speculation show how much is chance alone.

import { mean, Random } from '@coppice/core/base';
import type { TrialSource } from '../experiment/experiment.ts';
import { type Ratio, ratiosOf } from '../percentile-ratios.ts';
import { type RandomSetting, randomSetting } from '../policies/random-setting.ts';
import { type RowName, warmUpShare } from '../service/index.ts';
import { capacityOf } from '../sim/capacity.ts';
import { contenderOf } from '../sim/contenders.ts';
import type { TrialResult, TrialSpec } from '../sim/trial.ts';

/** One setting's measurement; equal ones give equal verdicts. */
export interface LoadedSetting {
  readonly seed: number;
  readonly at: number;
  readonly requests: number;
}

export interface LoadVerdict {
  readonly about: string;
  /** Strands of one search run side by side. */
  readonly boosted: boolean;
  /** Arrivals as a multiple of the capacity without speculation. */
  readonly load: number;
  readonly p50: Ratio;
  readonly p99: Ratio;
  /** Of a boosted setting: served a second time without speculation, over the first time. */
  readonly chance?: { readonly p50: Ratio; readonly p99: Ratio };
  readonly tokens: number;
  /** Steps of a request that came before its program asked for them. */
  readonly ghosts: number;
}

const rows: readonly RowName[] = [
  ...['vanilla', 'positive', 'safe', 'boost', 'best-first+positive', 'best-first+safe'],
  ...['beam+positive', 'dvts+positive', 'rebase+positive', 'ets+positive'],
];

interface Drawn extends RandomSetting {
  readonly row: RowName;
  readonly speculate: number;
}

export function drawLoaded({ seed, at }: Pick<LoadedSetting, 'seed' | 'at'>): Drawn {
  const random = new Random('ahead', seed, at);
  const row = rows[random.integer(rows.length)]!;
  return { ...randomSetting(seed, at), row, speculate: 2 ** (1 + random.integer(3)) };
}

/** Measures the setting's capacity, then serves the same requests with speculation and without. */
export async function underLoad(setting: LoadedSetting, trials: TrialSource): Promise<LoadVerdict> {
  const drawn = drawLoaded(setting);
  const backlog = await trials.run(specOf(drawn.spec, drawn.row, { kind: 'backlog' }));
  const perSecond = drawn.load * capacityOf(backlog)!;
  const results = await Promise.all(servingsOf(drawn, setting.requests, perSecond).map((spec) => trials.run(spec)));
  return verdictOf(drawn, setting, results);
}

/** How often a boosted setting is served in each way. */
const servings = 2;

function isBoosted({ row }: Drawn): boolean {
  return /^(safe|boost)/.test(row);
}

/** All without speculation, then as many with it. */
function servingsOf(drawn: Drawn, requests: number, perSecond: number): TrialSpec[] {
  const { spec, row, speculate } = drawn;
  const arrivals = isBoosted(drawn)
    ? Array.from({ length: servings }, (_, shaken) => ({ kind: 'rate', perSecond, shaken }) as const)
    : [{ kind: 'rate', perSecond } as const];
  return [row, `${row}:speculate=${speculate}`].flatMap((each) =>
    arrivals.map((some) => specOf({ ...spec, requests }, each, some)),
  );
}

function specOf(spec: Drawn['spec'], row: RowName, arrivals: TrialSpec['arrivals']): TrialSpec {
  return { ...spec, contender: contenderOf(row), arrivals };
}

function verdictOf(drawn: Drawn, setting: LoadedSetting, results: readonly TrialResult[]): LoadVerdict {
  const half = results.length / 2;
  const [without, ahead] = [results.slice(0, half), results.slice(half)];
  const ratios = (one: readonly TrialResult[], other: readonly TrialResult[]) => {
    const [p50, p99] = ratiosOf(
      [one.map(timesOf), other.map(timesOf)],
      [50, 99],
      new Random('pairs', setting.seed, setting.at),
    );
    return { p50: p50!, p99: p99! };
  };
  return {
    about: `${drawn.row}, speculate ${drawn.speculate}, ${drawn.about}`,
    boosted: isBoosted(drawn),
    load: drawn.load,
    ...ratios(without, ahead),
    ...(half > 1 ? { chance: ratios(without.slice(0, 1), without.slice(1, 2)) } : {}),
    tokens: mean(ahead.map(tokensOf)) / mean(without.map(tokensOf)),
    ghosts: mean(ahead.map(ghostsOf)) / setting.requests,
  };
}

function ghostsOf({ growth }: TrialResult): number {
  return growth.byDistance.reduce((sum, { guessed }) => sum + guessed, 0);
}

function tokensOf({ served }: TrialResult): number {
  return mean(served.map(({ tokens }) => tokens));
}

/** How long requests took, those of the ramp left out. */
function timesOf({ served }: TrialResult): number[] {
  return served.slice(Math.floor(warmUpShare * served.length)).map(({ arrivalMs, endedMs }) => endedMs - arrivalMs);
}
