// A server under overload, with any client. Its capacity is the highest rate of an open stream of requests at which 95 % of them
// get a complete answer within five times the median; its goodput is the number of complete answers per second at ten times
// that rate. A refused request counts as one without an answer.

import { assert } from '@coppice/core/base';

export interface OpenLoad {
  readonly perSecond: number;
  readonly requests: number;
  readonly deadlineMs: number;
}

export interface LoadAnswer {
  readonly arrivalMs: number;
  readonly endedMs: number;
  /** `complete`, `incomplete`, or the code of the error that the client was told. */
  readonly told: string;
  readonly completionTokens: number;
}

/** Sends a stream of requests, and resolves when all have been answered or refused. */
type Drive = (load: OpenLoad) => Promise<readonly LoadAnswer[]>;

export interface LoadResult {
  readonly perSecond: number;
  readonly requests: number;
  readonly completeShare: number;
  /** Those that came while requests came, over that time: what is answered after the last request does not count. */
  readonly completePerSecond: number;
  readonly told: Readonly<Record<string, number>>;
  /** Answers, not errors, that had no token. */
  readonly empty: number;
}

export interface Overload {
  readonly medianMs: number;
  readonly deadlineMs: number;
  readonly capacity: LoadResult;
  readonly overloaded: LoadResult;
  /** Of the complete answers a second at capacity: rate times share. */
  readonly kept: number;
}

interface OverloadSize {
  /** At rates around the capacity; ten times as many at ten times the rate. */
  readonly requests: number;
  /** One at a time, for the median. */
  readonly alone: { readonly requests: number; readonly perSecond: number };
  /** Where the capacity is looked for first. */
  readonly startPerSecond: number;
  readonly halvings: number;
}

const completeShare = 0.95;
const medians = 5;
const excess = 10;
const noDeadlineMs = 3_600_000;

export async function measureOverload(drive: Drive, size: OverloadSize): Promise<Overload> {
  const alone = await drive({ ...size.alone, deadlineMs: noDeadlineMs });
  const failed = alone.find(({ told }) => told !== 'complete');
  assert(failed === undefined, `alone on the server a request was answered by '${failed?.told}'`);
  const medianMs = medianOf(alone);
  const deadlineMs = Math.round(medians * medianMs);
  const capacity = await findCapacity(drive, deadlineMs, size);
  const load = { perSecond: excess * capacity.perSecond, requests: excess * size.requests, deadlineMs };
  const overloaded = await runLoad(drive, load);
  // At capacity every complete answer counts, so that the end of a short run flatters nothing.
  const kept = overloaded.completePerSecond / (capacity.perSecond * capacity.completeShare);
  return { medianMs, deadlineMs, capacity, overloaded, kept };
}

/** Doubles the rate until too few answers are complete, then halves the interval, in ratios. */
async function findCapacity(drive: Drive, deadlineMs: number, size: OverloadSize): Promise<LoadResult> {
  const at = (perSecond: number) => runLoad(drive, { perSecond, requests: size.requests, deadlineMs });
  let best = await at(size.startPerSecond);
  while (best.completeShare < completeShare) best = await at(best.perSecond / 2);
  let above = best.perSecond * 2;
  for (let next = await at(above); next.completeShare >= completeShare; next = await at(above)) {
    best = next;
    above *= 2;
  }
  for (let halving = 0; halving < size.halvings; halving += 1) {
    const next = await at(Math.sqrt(best.perSecond * above));
    if (next.completeShare >= completeShare) best = next;
    else above = next.perSecond;
  }
  return best;
}

export async function runLoad(drive: Drive, load: OpenLoad): Promise<LoadResult> {
  const answers = await drive(load);
  const { perSecond, requests } = load;
  const told: Record<string, number> = {};
  for (const each of answers) told[each.told] = (told[each.told] ?? 0) + 1;
  const arrivalsMs = answers.map(({ arrivalMs }) => arrivalMs);
  const [fromMs, untilMs] = [Math.min(...arrivalsMs), Math.max(...arrivalsMs)];
  const inTime = answers.filter((each) => each.told === 'complete' && each.endedMs <= untilMs).length;
  const isEmpty = (each: LoadAnswer) => each.completionTokens === 0 && /complete$/.test(each.told);
  return {
    perSecond,
    requests,
    told,
    empty: answers.filter(isEmpty).length,
    completeShare: (told.complete ?? 0) / answers.length,
    completePerSecond: (inTime * 1000) / (untilMs - fromMs),
  };
}

function medianOf(answers: readonly LoadAnswer[]): number {
  const sorted = answers.map(({ arrivalMs, endedMs }) => endedMs - arrivalMs).sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)]!;
}
