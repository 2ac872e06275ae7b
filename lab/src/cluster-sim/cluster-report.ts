// The tables of a simulated cluster: searches served, lost and doubled; the time added by nodes and databases; what grew; and goodput around a fault.

import { mean, Random } from '@coppice/core/base';
import { ratiosOf } from '../percentile-ratios.ts';
import { estimate, percentile } from '../statistics.ts';
import { floodFrom, floodKey, floodQuota, floodTo } from './arrivals.ts';
import type { GroupSpec } from './cluster-spec.ts';
import type { ClientAnswer, GroupResult } from './group-result.ts';

type Count = 'asked' | 'served' | 'lost' | 'doubled' | 'askedAgain' | 'moved' | 'decisions' | 'events' | 'calls';
type Total = Count | 'commits' | 'writes' | 'statements' | 'bytes' | 'databaseBusyMs' | 'nodeBusyMs' | 'happened';
type TokenCount = 'promptTokens' | 'cachedTokens' | 'generatedTokens';

function total(results: readonly GroupResult[], of: Total | TokenCount): number {
  return results.reduce((sum, each) => sum + each[of], 0);
}

function tookOf(results: readonly GroupResult[], isWanted: (answer: ClientAnswer) => boolean = () => true): number[] {
  return results.flatMap(({ answers }) => answers.filter(isWanted).flatMap(({ tookMs }) => tookMs ?? []));
}

function line(cells: readonly (string | number)[]): string {
  return `| ${cells.map((each) => (typeof each === 'number' ? each.toLocaleString('en-US') : each)).join(' | ')} |`;
}

function table(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string[] {
  return [line(head), `|---|${'--:|'.repeat(head.length - 1)}`, ...rows.map(line)];
}

const ms = (value: number) => Math.round(value);
const seconds = (value: number) => (value / 1000).toFixed(2);
const share = (value: number) => `${(100 * value).toFixed(1)} %`;

/** Outcomes of all searches. */
export function fateLines(results: readonly GroupResult[]): string[] {
  const refused = new Map<string, number>();
  const took = tookOf(results, ({ key }) => key !== floodKey);
  for (const each of results)
    for (const [why, count] of Object.entries(each.refused)) refused.set(why, (refused.get(why) ?? 0) + count);
  return table(
    ['searches', ''],
    [
      ['asked for', total(results, 'asked')],
      ['served', total(results, 'served')],
      ...Array.from(refused, ([why, count]) => [`refused: ${why}`, count]),
      ['lost', total(results, 'lost')],
      ['doubled', total(results, 'doubled')],
      ['went on on another node', total(results, 'moved')],
      ['asked again, since their node died while they waited', total(results, 'askedAgain')],
      ['p50 of the others than a flood, s', seconds(percentile(took, 50))],
      ['p99', seconds(percentile(took, 99))],
    ],
  );
}

/** The time that nodes and database add to the engine's own, from the same searches on both. */
export function addedLines(measured: readonly GroupResult[], ideal: readonly GroupResult[]): string[] {
  const pairs = measured.flatMap(({ answers }, group) =>
    answers.flatMap(({ key, tookMs }, at) => {
      const freeMs = ideal[group]!.answers[at]?.tookMs;
      return key === floodKey || tookMs === undefined || freeMs === undefined ? [] : [[freeMs, tookMs] as const];
    }),
  );
  const [free, real] = [pairs.map(([each]) => each), pairs.map(([, each]) => each)];
  const percents = [50, 90, 99];
  const ratios = ratiosOf([[free], [real]], percents, new Random('added'));
  const rows = percents.map((percent, at) => {
    const { value, low, high } = ratios[at]!;
    const interval = `${share(low - 1)} to ${share(high - 1)}`;
    return [
      `p${percent}`,
      seconds(percentile(free, percent)),
      seconds(percentile(real, percent)),
      share(value - 1),
      interval,
    ];
  });
  const added = estimate([pairs.map(([freeMs, tookMs]) => tookMs - freeMs)]);
  const of = mean(free);
  const half = added.half ?? 0;
  const interval = `${share((added.value - half) / of)} to ${share((added.value + half) / of)}`;
  const means = ['mean', seconds(of), seconds(mean(real)), share(added.value / of), interval];
  return table(
    [
      `time of ${pairs.length.toLocaleString('en-US')} searches`,
      's, nodes and database free',
      's, as measured',
      'added',
      '95 %',
    ],
    [means, ...rows],
  );
}

export function growthLines(results: readonly GroupResult[], specs: readonly GroupSpec[]): string[] {
  const served = Math.max(1, total(results, 'served'));
  const lengthMs = specs[0]!.minutes * 60_000;
  const nodes = specs.reduce((sum, each) => sum + each.nodes, 0);
  const cores = specs.reduce((sum, each) => sum + each.databaseCores, 0);
  const each = (name: string, of: Total, unit = '') => {
    const all = total(results, of);
    return [name, `${all.toLocaleString('en-US')}${unit}`, (all / served).toFixed(1)];
  };
  const busy = (of: Total, count: number) => share(total(results, of) / (count * lengthMs));
  const prefix = total(results, 'cachedTokens') / Math.max(1, total(results, 'promptTokens'));
  return table(
    ['', 'in all', 'a search'],
    [
      each('decisions (steps of the loop)', 'decisions'),
      each('events', 'events'),
      each('calls to servers', 'calls'),
      each('commits', 'commits'),
      each('writes', 'writes'),
      each('bytes of events', 'bytes'),
      ['tokens generated', total(results, 'generatedTokens'), ms(total(results, 'generatedTokens') / served)],
      ['prompt tokens found in a cache', share(prefix), ''],
      [
        'CPU of nodes: of their cores, ms',
        busy('nodeBusyMs', nodes),
        (total(results, 'nodeBusyMs') / served).toFixed(1),
      ],
      [
        'CPU of databases: of their cores, ms',
        busy('databaseBusyMs', cores),
        (total(results, 'databaseBusyMs') / served).toFixed(1),
      ],
      ['happenings simulated', total(results, 'happened'), ms(total(results, 'happened') / served)],
    ],
  );
}

const bucketMs = 15_000;
const shown = { beforeMs: 60_000, afterMs: 150_000 };
/** Goodput is back when what is answered is this share of what is asked for. */
const backShare = 0.95;

/** Searches requested and answered around the middle of the run, when faults happen, and the time of recovery. */
export function goodputLines(results: readonly GroupResult[], { minutes }: GroupSpec): string[] {
  const peakMs = (minutes * 60_000) / 2;
  const answers = results.flatMap((each) => each.answers).filter(({ key }) => key !== floodKey);
  const within = (fromMs: number, at: (answer: ClientAnswer) => number | undefined) =>
    answers.filter((answer) => {
      const atMs = at(answer);
      return atMs !== undefined && atMs >= fromMs && atMs < fromMs + bucketMs;
    }).length;
  const rows: (readonly (string | number)[])[] = [];
  let backMs: number | undefined;
  for (let fromMs = -shown.beforeMs; fromMs < shown.afterMs; fromMs += bucketMs) {
    const asked = within(peakMs + fromMs, ({ atMs }) => atMs);
    const done = within(peakMs + fromMs, ({ atMs, tookMs }) => (tookMs === undefined ? undefined : atMs + tookMs));
    if (fromMs >= 0 && done < asked * backShare) backMs = undefined;
    else if (fromMs >= 0) backMs ??= fromMs;
    rows.push([`${fromMs / 1000} to ${(fromMs + bucketMs) / 1000}`, asked, done]);
  }
  const word = backMs === undefined ? 'not back within the table' : `back for good ${backMs / 1000} s after the fault`;
  return [...table(['s after the fault', 'asked for', 'answered'], rows), '', `Goodput: ${word}.`];
}

/** The effect of a flooding key on the others, and the requests that its quota admits. */
export function floodLines(results: readonly GroupResult[], specs: readonly GroupSpec[]): string[] {
  const lengthMs = specs[0]!.minutes * 60_000;
  const isIn = ({ atMs }: ClientAnswer) => atMs >= floodFrom * lengthMs && atMs < floodTo * lengthMs;
  const row = (name: string, isWanted: (answer: ClientAnswer) => boolean) => {
    const asked = results.flatMap(({ answers }) => answers.filter(isWanted));
    const took = tookOf(results, isWanted);
    const refused = asked.filter(({ isRefused }) => isRefused).length;
    return [name, asked.length, took.length, refused, seconds(percentile(took, 50)), seconds(percentile(took, 99))];
  };
  const quota = specs.reduce((sum, spec) => sum + floodQuota(spec), 0);
  return table(
    ['searches', 'asked for', 'served', 'refused', 'p50 s', 'p99 s'],
    [
      row('of the others, during the flood', (each) => each.key !== floodKey && isIn(each)),
      row('of the others, otherwise', (each) => each.key !== floodKey && !isIn(each)),
      row(`of the key that floods; its quota is ${quota.toLocaleString('en-US')}`, (each) => each.key === floodKey),
    ],
  );
}

/** For a run that ends while work is left: waiting searches show that there always was some. */
export function saturatedLines(results: readonly GroupResult[]): string[] {
  const [asked, served] = [total(results, 'asked'), total(results, 'served')];
  return table(
    ['searches', ''],
    [
      ['asked for', asked],
      ['served', served],
      ['waiting or running at the end', asked - served],
      ['doubled', total(results, 'doubled')],
    ],
  );
}

/** Searches served per second under constant load, past the first quarter of the run. */
export function throughputOf(results: readonly GroupResult[], { minutes }: GroupSpec): number {
  const [fromMs, toMs] = [minutes * 15_000, minutes * 60_000];
  const ends = results.flatMap(({ answers }) =>
    answers.flatMap(({ atMs, tookMs }) => (tookMs === undefined ? [] : atMs + tookMs)),
  );
  return ends.filter((endMs) => endMs >= fromMs && endMs < toMs).length / ((toMs - fromMs) / 1000);
}
