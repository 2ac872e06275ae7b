// The answer of `capacity` over all streams: the rate that a number of GPUs holds, or the GPUs that a rate needs. The other streams start
// their search at the first one's edge; that saves runs, and changes their results by less than the precision.

import { mean } from '@coppice/core/base';
import type { Latencies } from '../service/index.ts';
import { type MedianInterval, medianInterval } from './median.ts';
import { fewestHeld, largestHeld } from './monotone-search.ts';
import { type CapacityPlan, type RunTrial, requestsOf, StreamCapacity } from './stream-capacity.ts';

/** Asks for the rate or for the number of GPUs. */
export interface CapacityQuestion {
  readonly gpus?: number;
  readonly rate?: number;
}

export interface CapacityAnswer {
  readonly gpus: MedianInterval;
  readonly perSecond: MedianInterval;
  /** Of a stream. */
  readonly requests: number;
  /** Streams whose edge is the throughput of a backlog: there p99 keeps its bound as far as the streams go. */
  readonly byThroughput: number;
  /** At the edge of each stream; their mean. */
  readonly latencies: Pick<Latencies, 'p50Ms' | 'p90Ms' | 'p99Ms'>;
  readonly runs: number;
}

type Tell = (about: string) => void;
const quiet: Tell = () => {};

/** Yes and no may lie 5 % apart: less than what streams differ by. */
const precision = 1.05;

/** `tell` is called with every stream whose edge is found. */
export async function rateHeld(
  plan: CapacityPlan,
  gpus: number,
  run: RunTrial,
  tell: Tell = quiet,
): Promise<CapacityAnswer | undefined> {
  const streams = streamsOf(plan, run);
  const requests = requestsOf(plan, await streams[0]!.saturation(gpus));
  const found = await pilotFirst(streams, async (stream, share = 1) => {
    const cap = await stream.saturation(gpus, requests);
    const keeps = (rate: number) => stream.keepsBound(gpus, rate, requests);
    const rate = await largestHeld(keeps, { from: share * cap, cap, precision });
    tell(`a stream holds ${rate?.toFixed(2) ?? 'no'} searches a second`);
    return rate === undefined ? undefined : { rate, lead: rate / cap };
  });
  if (found === undefined) return undefined;
  const perSecond = medianInterval(found.map(({ rate }) => rate));
  const byThroughput = found.filter(({ lead }) => lead === 1).length;
  return { gpus: exactly(gpus), perSecond, requests, byThroughput, ...standing(streams) };
}

/** A larger number would need several clusters. */
export const mostGpus = 64;

export async function gpusNeeded(
  plan: CapacityPlan,
  rate: number,
  run: RunTrial,
  tell: Tell = quiet,
): Promise<CapacityAnswer | undefined> {
  const streams = streamsOf(plan, run);
  const requests = requestsOf(plan, rate);
  const found = await pilotFirst(streams, async (stream, near) => {
    const from = near ?? Math.ceil(rate / (await stream.saturation(1)));
    const lead = await fewestHeld((gpus) => stream.holds(gpus, rate, requests), from, mostGpus);
    tell(`a stream needs ${lead ?? `more than ${mostGpus}`} GPUs`);
    return lead === undefined ? undefined : { lead };
  });
  if (found === undefined) return undefined;
  const { value, ...interval } = medianInterval(found.map(({ lead }) => lead));
  const gpus = { ...interval, value: Math.ceil(value) };
  return { gpus, perSecond: exactly(rate), requests, byThroughput: 0, ...standing(streams) };
}

function exactly(value: number): MedianInterval {
  return { value, low: value, high: value };
}

function streamsOf(plan: CapacityPlan, run: RunTrial): StreamCapacity[] {
  return Array.from({ length: plan.streams }, (_, at) => new StreamCapacity(plan, at, run));
}

/** What a stream finds, and where the next ones should look first. */
interface Edge {
  readonly lead: number;
}

/** Undefined where a stream finds nothing. */
async function pilotFirst<Found extends Edge>(
  [pilot, ...others]: readonly StreamCapacity[],
  find: (stream: StreamCapacity, lead?: number) => Promise<Found | undefined>,
): Promise<Found[] | undefined> {
  const first = await find(pilot!);
  if (first === undefined) return undefined;
  const rest = await Promise.all(others.map((stream) => find(stream, first.lead)));
  const all = [first, ...rest];
  return all.every((each) => each !== undefined) ? all : undefined;
}

function standing(streams: readonly StreamCapacity[]) {
  const edges = streams.map(({ edge }) => edge!);
  const over = (name: 'p50Ms' | 'p90Ms' | 'p99Ms') => mean(edges.map((each) => each[name]));
  const latencies = { p50Ms: over('p50Ms'), p90Ms: over('p90Ms'), p99Ms: over('p99Ms') };
  return { latencies, runs: streams.reduce((sum, { runs }) => sum + runs, 0) };
}
