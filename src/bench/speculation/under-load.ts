// Whether speculation ever hurts under load: settings drawn at random (bench/policies), a program and a policy drawn with them,
// the same requests at the same instants with speculation and without. The median and the p99 of the one over those of the
// other, with an interval from pairs of requests; the worst are printed first.

import { Random } from '../../base/random.ts';
import { type RandomSetting, randomSetting } from '../policies/random-setting.ts';
import { contenderOf, type RowName } from '../sim/contenders.ts';
import { capacityOf, warmUpShare } from '../sim/measures.ts';
import type { Served } from '../sim/service.ts';
import type { TrialResult, TrialSpec } from '../sim/trial.ts';
import type { TrialPool } from '../sim/trial-pool.ts';
import { estimateRatio, mean, percentile, studentT } from '../statistics.ts';

/** What is asked of one setting; the same gives the same verdict. */
export interface LoadedSetting {
  readonly seed: number;
  readonly at: number;
  readonly requests: number;
}

/** With speculation over without: below 1 is faster. */
export interface Ratio {
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

export interface LoadVerdict {
  readonly about: string;
  /** Strands of one search run side by side: it then takes other ways when they come in another order, and times differ by chance too. */
  readonly boosted: boolean;
  readonly p50: Ratio;
  readonly p99: Ratio;
  readonly tokens: number;
}

/** The most that the upper end of an interval may be. */
export const mostHarm = 1.03;

const rows: readonly RowName[] = [
  ...['vanilla', 'positive', 'safe', 'fast', 'positive:expansion=lazy', 'safe:expansion=lazy'],
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

/** First how much each can take, then each with speculation and without; `onVerdict` is told of each when it is done. */
export async function underLoad(
  settings: readonly LoadedSetting[],
  pool: Pick<TrialPool, 'run'>,
  onVerdict: (setting: LoadedSetting, verdict: LoadVerdict) => void,
): Promise<void> {
  const drawn = settings.map(drawLoaded);
  const backlogs = await pool.run(drawn.map(({ spec, row }) => specOf(spec, row, { kind: 'backlog' })));
  const pairs = drawn.flatMap(({ spec, row, speculate, load }, at) => {
    const perSecond = load * capacityOf(backlogs[at]!)!;
    const loaded = { ...spec, requests: settings[at]!.requests };
    return [row, `${row}:speculate=${speculate}`].map((each) => specOf(loaded, each, { kind: 'rate', perSecond }));
  });
  const halves: (TrialResult | undefined)[] = pairs.map(() => undefined);
  await pool.run(pairs, (which, result) => {
    halves[which] = result;
    const at = Math.floor(which / 2);
    const [without, ahead] = halves.slice(2 * at, 2 * at + 2);
    if (without === undefined || ahead === undefined) return;
    halves.fill(undefined, 2 * at, 2 * at + 2);
    onVerdict(settings[at]!, verdictOf(drawn[at]!, settings[at]!, without, ahead));
  });
}

function specOf(spec: Drawn['spec'], row: RowName, arrivals: TrialSpec['arrivals']): TrialSpec {
  return { ...spec, contender: contenderOf(row), arrivals };
}

function verdictOf(drawn: Drawn, setting: LoadedSetting, without: TrialResult, ahead: TrialResult): LoadVerdict {
  const times = [without, ahead].map(({ served }) => warm(served).map(tookMs)) as [number[], number[]];
  const tokens = [without, ahead].map(({ served }) => mean(served.map((each) => each.tokens))) as [number, number];
  const random = new Random('pairs', setting.seed, setting.at);
  const [p50, p99] = ratiosOf(times, [50, 99], random) as [Ratio, Ratio];
  return {
    about: `${drawn.row}, speculate ${drawn.speculate}, ${drawn.about}`,
    boosted: /^(safe|fast)/.test(drawn.row),
    ...{ p50, p99, tokens: tokens[1] / tokens[0] },
  };
}

function warm(served: readonly Served[]): readonly Served[] {
  return served.slice(Math.floor(warmUpShare * served.length));
}

function tookMs({ arrivalMs, endedMs }: Served): number {
  return endedMs - arrivalMs;
}

const resamples = 300;
/** Requests that are drawn together: neighbours met the same queue. */
const block = 40;

/** The ratios of percentiles with 95 % intervals, from blocks of pairs drawn with replacement. */
export function ratiosOf(
  [without, ahead]: readonly [readonly number[], readonly number[]],
  percents: readonly number[],
  random: Random,
): Ratio[] {
  const drawn = Array.from({ length: resamples }, () => {
    const picked = pickBlocks(without.length, random);
    const [one, other] = [without, ahead].map((times) => picked.map((at) => times[at]!)) as [number[], number[]];
    return percents.map((percent) => percentile(other, percent) / percentile(one, percent));
  });
  return percents.map((percent, column) => {
    const values = drawn.map((ratios) => ratios[column]!);
    const value = percentile(ahead, percent) / percentile(without, percent);
    return { value, low: percentile(values, 2.5), high: percentile(values, 97.5) };
  });
}

function pickBlocks(length: number, random: Random): number[] {
  const size = Math.min(block, length);
  return Array.from({ length: Math.ceil(length / size) }, () => random.integer(length - size + 1)).flatMap((start) =>
    Array.from({ length: size }, (_, at) => start + at),
  );
}

/** Over all settings: the geometric mean of their ratios, with its 95 % interval over settings. */
export function overall(verdicts: readonly LoadVerdict[], column: 'p50' | 'p99'): Ratio {
  const values = verdicts.map((each) => each[column].value);
  const { value } = estimateRatio([values]);
  const logs = values.map(Math.log);
  const spread = Math.sqrt(mean(logs.map((each) => (each - Math.log(value)) ** 2)) / Math.max(1, logs.length - 1));
  const half = logs.length < 2 ? 0 : studentT(logs.length - 1) * spread;
  return { value, low: value * Math.exp(-half), high: value * Math.exp(half) };
}

/**
 * Two things are held against the bar: the interval of the mean over settings, and each setting's own interval, of which the largest
 * upper end is given. Then the settings themselves, the worst first.
 */
export function loadLines(verdicts: readonly LoadVerdict[], worst: number): string[] {
  const [boosted, others] = [true, false].map((each) => verdicts.filter((verdict) => verdict.boosted === each));
  const groups = { all: verdicts, 'of these boosted': boosted!, 'not boosted': others! };
  const cases = [...verdicts].sort((a, b) => upperEnd(b) - upperEnd(a)).slice(0, worst);
  return [
    `| with over without | settings | mean | its 95 % interval | largest | largest upper end of a setting | surely above 1 | upper end above ${mostHarm} |`,
    '|---|--:|--:|---|--:|--:|--:|--:|',
    ...(['p50', 'p99'] as const).flatMap((column) =>
      Object.entries(groups).map(([name, some]) => groupLine(`${column}, ${name}`, some, column)),
    ),
    '',
    `tokens: ${fixed(mean(verdicts.map(({ tokens }) => tokens)))} times those without, in the mean over settings`,
    '',
    ...cases.map(({ about, p50, p99, tokens }) => {
      return `p50 ${textOf(p50)}, p99 ${textOf(p99)}, tokens ${fixed(tokens)}: ${about}`;
    }),
  ];
}

function upperEnd({ p50, p99 }: LoadVerdict): number {
  return Math.max(p50.high, p99.high);
}

function groupLine(name: string, verdicts: readonly LoadVerdict[], column: 'p50' | 'p99'): string {
  if (verdicts.length === 0) return `| ${name} | 0 | | | | | | |`;
  const { value, low, high } = overall(verdicts, column);
  const all = verdicts.map((each) => each[column]);
  const most = (of: keyof Ratio) => fixed(Math.max(...all.map((each) => each[of])));
  const counts = [all.filter((each) => each.low > 1).length, all.filter((each) => each.high > mostHarm).length];
  const cells = [fixed(value), `${fixed(low)} to ${fixed(high)}`, most('value'), most('high'), ...counts];
  return `| ${[name, verdicts.length, ...cells].join(' | ')} |`;
}

function fixed(value: number): string {
  return value.toFixed(3);
}

function textOf({ value, low, high }: Ratio): string {
  return `${fixed(value)} (${fixed(low)} to ${fixed(high)})`;
}
