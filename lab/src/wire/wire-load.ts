// A load that keeps a server busy, and its readings: over a window, and after all of it is cancelled.

import { monitorEventLoopDelay } from 'node:perf_hooks';
import { median } from '@coppice/core/base';
import type { RequestCount } from './request-count.ts';
import type { ServerReading } from './server-reading.ts';

export interface WireLoad {
  /** By the server's own word; by what came back where it says nothing. */
  read(): Promise<ServerReading>;
  /** Cancels everything under way, at once, and begins nothing more. */
  cancel(): void;
  /** Resolves when nothing is under way any more. */
  close(): Promise<void>;
}

export interface WirePace {
  /** Before anything is counted: sockets, compiler, limits in flight and lengths of answers settle. */
  readonly warmMs: number;
  readonly windowMs: number;
}

/** Smallest, median and largest of the readings. */
export type ReadingSpread = readonly [number, number, number];

export interface WindowFigures {
  readonly tokensPerSecond: number;
  readonly requestsPerSecond: number;
  /** Requests to the reward model. */
  readonly scoresPerSecond: number;
  readonly running: ReadingSpread | undefined;
  readonly waiting: ReadingSpread | undefined;
  /** Of this process, per 1,000 tokens. */
  readonly cpuMs: number;
  /** How late this process's event loop was, 99th percentile. */
  readonly lagMs: number;
  /** Part of the time in which the event loop was at work. */
  readonly loopBusy: number;
}

const readEveryMs = 1000;
const lagResolutionMs = 10;

export async function measureWindow(
  load: WireLoad,
  requests: RequestCount,
  { warmMs, windowMs }: WirePace,
): Promise<WindowFigures> {
  await sleep(warmMs);
  const lag = monitorEventLoopDelay({ resolution: lagResolutionMs });
  lag.enable();
  const first = await moment(load, requests);
  const readings = [first.reading];
  const untilMs = first.reading.atMs + windowMs;
  while (performance.now() < untilMs) {
    await sleep(Math.min(readEveryMs, Math.max(1, untilMs - performance.now())));
    readings.push(await load.read());
  }
  const last = await moment(load, requests);
  lag.disable();
  const seconds = (last.reading.atMs - first.reading.atMs) / 1000;
  const tokens = (last.reading.tokens ?? 0) - (first.reading.tokens ?? 0);
  return {
    tokensPerSecond: tokens / seconds,
    requestsPerSecond: (last.generations - first.generations) / seconds,
    scoresPerSecond: (last.scores - first.scores) / seconds,
    running: spreadOf(readings.map(({ running }) => running)),
    waiting: spreadOf(readings.map(({ waiting }) => waiting)),
    cpuMs: (last.cpuMs - first.cpuMs) / (tokens / 1000),
    lagMs: Math.max(0, lag.percentile(99) / 1e6 - lagResolutionMs),
    loopBusy: performance.eventLoopUtilization(last.loop, first.loop).utilization,
  };
}

/** Everything that is counted, at the same moment. */
async function moment(load: WireLoad, requests: RequestCount) {
  const reading = await load.read();
  const { generations, scores } = requests;
  const { user, system } = process.cpuUsage();
  const loop = performance.eventLoopUtilization();
  return { reading, generations, scores, cpuMs: (user + system) / 1000, loop };
}

function spreadOf(values: readonly (number | undefined)[]): ReadingSpread | undefined {
  const seen = values.filter((value) => value !== undefined);
  return seen.length === 0 ? undefined : [Math.min(...seen), median(seen), Math.max(...seen)];
}

export interface AbortFigures {
  /** From the cancellation until the server's count of tokens was seen to stand. */
  readonly lastTokenMs: number;
  /** … until the server ran nothing. */
  readonly idleMs: number;
  /** Written in that time. */
  readonly tokens: number;
}

const readAgainMs = 2;
/** A count that has not moved for so long stands. */
const quietMs = 400;
const longestMs = 20_000;

/** Cancels a whole load, and asks the server until it is idle. Times end with the reading that shows it: they are upper bounds. */
export async function abortTime(load: WireLoad, usual: ReadingSpread | undefined): Promise<AbortFigures | undefined> {
  const before = await usualReading(load, usual?.[1] ?? 0);
  const startMs = performance.now();
  load.cancel();
  let [tokens, lastTokenMs, idleMs] = [before.tokens, 0, undefined as number | undefined];
  while (performance.now() - startMs < longestMs) {
    const reading = await load.read();
    if (reading.running === undefined || reading.tokens === undefined || before.tokens === undefined) return undefined;
    const afterMs = reading.atMs - startMs;
    if (reading.tokens !== tokens) [tokens, lastTokenMs] = [reading.tokens, afterMs];
    if (reading.running === 0) idleMs ??= afterMs;
    if (idleMs !== undefined && afterMs - Math.max(lastTokenMs, idleMs) > quietMs)
      return { lastTokenMs, idleMs, tokens: tokens! - before.tokens };
    await sleep(readAgainMs);
  }
  return undefined;
}

/** A load that comes in waves is cancelled while as much runs as in the middle of its window. */
async function usualReading(load: WireLoad, running: number): Promise<ServerReading> {
  const startMs = performance.now();
  for (;;) {
    const reading = await load.read();
    if ((reading.running ?? running) >= running || performance.now() - startMs > longestMs) return reading;
    await sleep(readAgainMs);
  }
}

/** Waits before the next row until cancelled requests are gone, if the server reports that. */
export async function untilIdle(read: () => Promise<ServerReading>): Promise<void> {
  const startMs = performance.now();
  while (performance.now() - startMs < longestMs) {
    const { running = 0, waiting = 0 } = await read();
    if (running + waiting === 0) return;
    await sleep(readEveryMs / 10);
  }
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
