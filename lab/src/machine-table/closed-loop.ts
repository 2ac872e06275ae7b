// A reward model under a constant number of paths, each replaced as soon as it is answered, in the simulator's model: passes of all waiting paths, one
// after the other, and a transfer time during which the GPU is free. Fitted to the rate of a real server, the model shows what no outside clock
// can see: the share of the pass in a score's time.

import { Heap, Random } from '@coppice/core/base';

export interface LoopModel {
  /** Milliseconds of a pass of so many paths. */
  readonly passMs: (paths: number) => number;
  /** Paths that one pass holds. */
  readonly passPaths: number;
  readonly callMs: number;
}

interface LoopRates {
  readonly pathsPerMs: number;
  readonly pathsPerPass: number;
  /** Share of the time in which a pass is under way. */
  readonly busy: number;
}

const passes = 600;
const warmUpPasses = 100;

/** Transfer times vary by up to half: equal ones would keep the same paths together for ever, unlike on a server. */
export function closedLoop(inFlight: number, { passMs, passPaths, callMs }: LoopModel): LoopRates {
  const random = new Random('closed loop', inFlight);
  const wayMs = (): number => callMs * (0.5 + random.uniform());
  const returnsMs = new Heap<number>((a, b) => a < b);
  for (let path = 0; path < inFlight; path += 1) returnsMs.push(wayMs());
  let [nowMs, sinceMs, scored, busyMs] = [0, 0, 0, 0];
  for (let pass = 0; pass < passes; pass += 1) {
    if (pass === warmUpPasses) [sinceMs, scored, busyMs] = [nowMs, 0, 0];
    nowMs = Math.max(nowMs, returnsMs.peek()!);
    const paths = takeUntil(returnsMs, nowMs, passPaths);
    const ms = passMs(paths);
    nowMs += ms;
    busyMs += ms;
    scored += paths;
    for (let path = 0; path < paths; path += 1) returnsMs.push(nowMs + wayMs());
  }
  const spanMs = nowMs - sinceMs;
  return { pathsPerMs: scored / spanMs, pathsPerPass: scored / (passes - warmUpPasses), busy: busyMs / spanMs };
}

function takeUntil(times: Heap<number>, nowMs: number, most: number): number {
  let taken = 0;
  for (; taken < most && (times.peek() ?? Number.POSITIVE_INFINITY) <= nowMs; taken += 1) times.pop();
  return taken;
}

/** Readings under a constant number of paths. */
export interface LoopReading {
  readonly inFlight: number;
  readonly pathsPerMs: number;
}

const tries = 40;

/** The transfer time within a single score's time whose rates are nearest to the readings. */
export function fitCallMs(
  singleMs: number,
  modelOf: (callMs: number) => LoopModel,
  read: readonly LoopReading[],
): number {
  const errorOf = (callMs: number): number => {
    const model = modelOf(callMs);
    const errors = read.map((each) => Math.log(closedLoop(each.inFlight, model).pathsPerMs / each.pathsPerMs));
    return errors.reduce((sum, error) => sum + error * error, 0);
  };
  const candidates = Array.from({ length: tries }, (_, at) => (at / tries) * singleMs);
  const errors = candidates.map(errorOf);
  return candidates[errors.indexOf(Math.min(...errors))]!;
}

const mostSlowdown = 16;

/** The slowdown of passes beside the generator, from the rates alone and together. */
export function passSlowdown(model: LoopModel, alone: LoopReading, together: LoopReading): number {
  // The model is not exact: what it makes of the rate alone is taken out.
  return Math.max(1, passFactor(model, together) / passFactor(model, alone));
}

/** How many times as long as in the model passes must take for such a rate. */
function passFactor(model: LoopModel, { inFlight, pathsPerMs }: LoopReading): number {
  let [low, high] = [1 / mostSlowdown, mostSlowdown];
  for (let step = 0; step < tries; step += 1) {
    const factor = (low + high) / 2;
    if (closedLoop(inFlight, slowed(model, factor)).pathsPerMs > pathsPerMs) low = factor;
    else high = factor;
  }
  return low;
}

/**
 * The slowdown of a decode step during a pass, if steps were `mean` times as long over passes and the gaps between them: in the gaps
 * decoding runs at full speed. At most twice the mean, so that gaps that only the model sees do not
 * inflate it.
 */
export function stepSlowdown(mean: number, busy: number): number {
  const left = 1 / Math.max(1, mean) - (1 - busy);
  const most = 2 * Math.max(1, mean);
  return Math.max(1, left <= 0 ? most : Math.min(most, busy / left));
}

export function slowed(model: LoopModel, factor: number): LoopModel {
  return { ...model, passMs: (paths) => factor * model.passMs(paths) };
}
