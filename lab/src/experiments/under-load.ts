// Tests whether speculation hurts under load, in settings drawn at random (../speculation/under-load.ts): over all settings, over those with and without
// boost, how much is chance alone, and how much speculation is left under overload.

import { mean } from '@coppice/core/base';
import type { LabExperiment } from '../experiment/experiment.ts';
import { type Block, plainTable } from '../experiment/table.ts';
import type { Ratio } from '../percentile-ratios.ts';
import { type LoadedSetting, type LoadVerdict, underLoad } from '../speculation/under-load.ts';
import { estimateRatio, studentT } from '../statistics.ts';

export const underLoadExperiment: LabExperiment<LoadedSetting, LoadVerdict> = {
  name: 'under-load',
  about: 'whether speculation hurts under load, in settings drawn at random, with it and without',
  page: 'experiments/p3.md',
  takes: '10 hours',
  published: [''],
  preset: { requests: 2000, draws: 100 },
  flags: ['seed', 'requests', 'settings', 'range'],
  leastRequests: 1,
  cells: ({ seeds: [seed], requests, draws, range: [from, to] = [1, draws] }) =>
    Array.from({ length: to - from + 1 }, (_, at) => ({ seed: seed!, at: from - 1 + at, requests })),
  measure: underLoad,
  report: (found, { seeds: [seed], requests, draws, range: [from, to] = [1, draws] }) => {
    const verdicts = found.map(({ result }) => result);
    const head = `Simulated: settings ${from} to ${to} drawn at random, seed ${seed}; ${requests} requests each, the same with speculation and without, boosted ones twice in each way. Below 1 is faster.`;
    return { head, body: loadBlocks(verdicts, 10), data: { seed, verdicts } };
  },
};

/** Highest allowed upper end of an interval. */
export const mostHarm = 1.03;
/** From this multiple of the capacity on there is no room to speculate in. */
const saturated = 1.3;

type TimePercentile = 'p50' | 'p99';

/** The geometric mean of the settings' ratios, with its 95 % interval over settings. */
export function overall(ratios: readonly Ratio[]): Ratio {
  const values = ratios.map((each) => each.value);
  const { value } = estimateRatio([values]);
  const logs = values.map(Math.log);
  const spread = Math.sqrt(mean(logs.map((each) => (each - Math.log(value)) ** 2)) / Math.max(1, logs.length - 1));
  const half = logs.length < 2 ? 0 : studentT(logs.length - 1) * spread;
  return { value, low: value * Math.exp(-half), high: value * Math.exp(half) };
}

/**
 * Compares two things with the bound: the interval of the mean over settings, and the largest upper end of the settings' own intervals.
 * Then lists the settings, the worst first.
 */
export function loadBlocks(verdicts: readonly LoadVerdict[], worst: number): Block[] {
  const cases = [...verdicts].sort((a, b) => upperEnd(b) - upperEnd(a)).slice(0, worst);
  const head = [
    ...['with over without', 'settings', 'mean', 'its 95 % interval', 'largest', 'largest upper end of a setting'],
    ...['surely above 1', `upper end above ${mostHarm}`],
  ];
  return [
    plainTable(
      head,
      (['p50', 'p99'] as const).flatMap((column) => columnRows(verdicts, column)),
    ),
    [
      `tokens: ${fixed(mean(verdicts.map(({ tokens }) => tokens)))} times those without, in the mean over settings`,
      ...(['below', 'at'] as const).flatMap((where) => loadLine(verdicts, where)),
    ].join('\n'),
    cases
      .map(({ about, p50, p99, chance, tokens }) => {
        const alone = chance === undefined ? '' : `, by chance alone ${textOf(chance.p50)} and ${textOf(chance.p99)}`;
        return `p50 ${textOf(p50)}, p99 ${textOf(p99)}, tokens ${fixed(tokens)}${alone}: ${about}`;
      })
      .join('\n'),
  ];
}

function columnRows(verdicts: readonly LoadVerdict[], column: TimePercentile): string[][] {
  const ratios = (boosted: boolean) => verdicts.filter((each) => each.boosted === boosted).map((each) => each[column]);
  const groups = {
    all: verdicts.map((each) => each[column]),
    'not boosted': ratios(false),
    boosted: ratios(true),
    'boosted, without over without': verdicts.flatMap(({ chance }) => chance?.[column] ?? []),
  };
  return Object.entries(groups).map(([name, some]) => groupRow(`${column}, ${name}`, some));
}

/** What speculation does where there is room, and where there is none. */
function loadLine(verdicts: readonly LoadVerdict[], where: 'below' | 'at'): string[] {
  const some = verdicts.filter(({ load }) => load >= saturated === (where === 'at'));
  if (some.length === 0) return [];
  const [p50, p99] = (['p50', 'p99'] as const).map((column) => overall(some.map((each) => each[column])).value);
  const [tokens, ghosts] = (['tokens', 'ghosts'] as const).map((name) => mean(some.map((each) => each[name])));
  return [
    `${where} ${saturated} times the capacity${where === 'at' ? ' and more' : ''}, ${some.length} settings: ${ghosts!.toFixed(2)} steps of a request ahead, ${fixed(tokens!)} times the tokens, p50 ${fixed(p50!)}, p99 ${fixed(p99!)}`,
  ];
}

function upperEnd({ p50, p99 }: LoadVerdict): number {
  return Math.max(p50.high, p99.high);
}

function groupRow(name: string, all: readonly Ratio[]): string[] {
  if (all.length === 0) return [name, '0', '', '', '', '', '', ''];
  const { value, low, high } = overall(all);
  const most = (of: keyof Ratio) => fixed(Math.max(...all.map((each) => each[of])));
  const counts = [all.filter((each) => each.low > 1).length, all.filter((each) => each.high > mostHarm).length];
  const cells = [fixed(value), `${fixed(low)} to ${fixed(high)}`, most('value'), most('high'), ...counts];
  return [name, all.length, ...cells].map(String);
}

function fixed(value: number): string {
  return value.toFixed(3);
}

function textOf({ value, low, high }: Ratio): string {
  return `${fixed(value)} (${fixed(low)} to ${fixed(high)})`;
}
