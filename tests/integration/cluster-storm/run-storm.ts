// One storm on a real PostgreSQL: blows and clients for so long, then calm until every client has its answer and every search its end,
// then judgement. Everything is bounded: what has no end some minutes after the storm is given up, and counted.

import { setMaxListeners } from 'node:events';
import { Random } from '../../../packages/core/src/base/random.ts';
import { batch } from './batch-clients.ts';
import { chat, chatStream } from './chat-clients.ts';
import { backgroundResponse, response, responseStream, resumedStream } from './response-clients.ts';
import { backgroundSearch, cancelledSearch, list, waitedSearch } from './search-clients.ts';
import { StormBlows } from './storm-blows.ts';
import { StormCluster, type StormEngine } from './storm-cluster.ts';
import { type Judgement, judge, type StormFaults } from './storm-judge.ts';
import { StormRecord } from './storm-record.ts';
import { pause, type StormWorld } from './storm-world.ts';
import { query } from './takeovers.ts';

export interface StormOptions {
  readonly seconds: number;
  readonly engine: StormEngine;
  readonly seed: number;
  readonly clients: number;
  /** Gives it up: all is ended and removed at once. */
  readonly interrupted?: AbortSignal;
  readonly say?: (line: string) => void;
}

export interface StormReport extends Judgement {
  readonly tookMs: readonly number[];
  /** That were followed to their ends. */
  readonly logs: number;
  readonly faultCount: number;
  /** For people to read. */
  readonly summary: string;
}

/** So many draws of each. */
const clientKinds: readonly (readonly [number, (world: StormWorld, random: Random) => Promise<void>])[] = [
  [3, chat],
  [3, chatStream],
  [5, backgroundSearch],
  [1, cancelledSearch],
  [2, waitedSearch],
  [2, response],
  [2, responseStream],
  [2, backgroundResponse],
  [2, resumedStream],
  [1, batch],
  [1, list],
];

const blowEveryMs = { sim: 3500, embedded: 4500 };
const calmMs = 240_000;
const mostExamples = 12;

export async function runStorm(options: StormOptions): Promise<StormReport> {
  const { seconds, engine, seed, clients, interrupted, say = () => {} } = options;
  const ended = new AbortController();
  setMaxListeners(0, ended.signal);
  const cluster = new StormCluster(engine);
  const close = () => {
    ended.abort();
    cluster.close();
  };
  interrupted?.addEventListener('abort', close);
  // For an end that nothing here expects.
  process.on('exit', close);
  try {
    interrupted?.throwIfAborted();
    await Promise.all([0, 1, 2].map((at) => cluster.start(at)));
    const overMs = performance.now() + seconds * 1000;
    const record = new StormRecord(1_000_000 * (seed % 4000));
    const world = { cluster, record, isOver: () => ended.signal.aborted || performance.now() >= overMs } as const;
    const whole: StormWorld = { ...world, ended: ended.signal };
    const blows = new StormBlows(whole, seed);
    say(`three nodes, ${clients} clients, ${seconds} s of blows, engine ${engine}, seed ${seed}`);
    const storming = blows.run(blowEveryMs[engine]);
    const asking = Array.from({ length: clients }, (_, at) => client(whole, new Random('storm-client', seed, at)));
    await storming;
    say('calm');
    const timer = setTimeout(() => ended.abort(), calmMs);
    await Promise.all(asking);
    await allEnded(whole);
    clearTimeout(timer);
    interrupted?.throwIfAborted();
    const judgement = await judge(cluster.database.url, record);
    const tookMs = await storming;
    const faultCount = Object.values(judgement.faults).flat().length;
    const errors = cluster.errors.slice(0, mostExamples).map((line) => `\n  a node logged ${line}`);
    const summary = `${summaryOf(options, record, blows, judgement, tookMs)}${errors.join('')}`;
    return { ...judgement, tookMs, logs: record.logs.size, faultCount, summary };
  } finally {
    interrupted?.removeEventListener('abort', close);
    process.off('exit', close);
    close();
  }
}

async function client(world: StormWorld, random: Random): Promise<void> {
  const weight = clientKinds.reduce((sum, [each]) => sum + each, 0);
  while (!world.isOver()) {
    await pause(world, random.uniform() * 1000);
    let draw = random.integer(weight);
    const [, act] = clientKinds.find(([each]) => {
      draw -= each;
      return draw < 0;
    })!;
    if (!world.isOver()) await act(world, random);
  }
}

/** Searches of clients whose node was killed end when the others take it for dead. */
async function allEnded(world: StormWorld): Promise<void> {
  const open = 'select count(*)::integer as count from coppice.searches where ended_ms is null';
  while (!world.ended.aborted) {
    const [row] = await query(world.cluster.database.url, open);
    if (row?.count === 0) return;
    await pause(world, 500);
  }
}

function summaryOf(
  { seconds, engine, seed, clients }: StormOptions,
  record: StormRecord,
  blows: StormBlows,
  { searches, events, moved, retracted, faults }: Judgement,
  tookMs: readonly number[],
): string {
  const kinds = [...record.requests].map(([kind, counts]) => `  ${kind}: ${listed(counts)}`).sort();
  const median = tookMs[Math.floor(tookMs.length / 2)] ?? 0;
  const seconds1 = (ms: number) => (ms / 1000).toFixed(1);
  return [
    `storm of ${seconds} s, engine ${engine}, seed ${seed}, ${clients} clients`,
    `blows: ${listed(blows.counts)}; ${blows.lostAnswers} answers lost`,
    ...kinds,
    `${searches} searches, ${events} events, ${moved} moved, ${retracted} taken back, ${record.told} ends told, ${record.logs.size} logs followed`,
    `takeover after a kill: median ${seconds1(median)} s of ${tookMs.length}, most ${seconds1(tookMs.at(-1) ?? 0)} s`,
    Object.entries(faults)
      .map(([name, found]) => `${found.length} ${name}`)
      .join(', '),
    ...examples(faults),
  ].join('\n');
}

function listed(counts: ReadonlyMap<string, number>): string {
  return [...counts].map(([name, count]) => `${count} ${name}`).join(', ');
}

function examples(faults: StormFaults): string[] {
  return Object.entries(faults).flatMap(([name, found]) =>
    found.slice(0, mostExamples).map((each: string) => `  ${name}: ${each}`),
  );
}
