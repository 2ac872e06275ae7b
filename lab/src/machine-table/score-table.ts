// A reward model's times for scores, in the simulator's form: passes by their tokens, the transfer time, and the tokens that a score
// computes besides its own.

import { setTimeout as sleep } from 'node:timers/promises';
import { curve, valueAt } from '@coppice/core/cost';
import { fitCallMs, type LoopModel, type LoopReading } from './closed-loop.ts';
import type { MeasuredMachine } from './measured-machine.ts';
import type { PathShape, ScoreReading, ScoreWaves } from './score-waves.ts';

export interface ScoreSizes {
  /** Paths of a call. */
  readonly paths: readonly number[];
  /** Of a path with its question. */
  readonly pathTokens: number;
  /** Of the newest step of it, for reward models that keep prefixes. */
  readonly stepTokens: number;
  /** Paths that are kept there, as few as searches ask for. */
  readonly fewInFlight: readonly number[];
  /** For each reading under load. */
  readonly loadedMs: number;
}

/** Tokens per pass of vLLM for a reward model started as in docs/gpu.md. */
export const passTokens = 16_384;

/** Readings of a reward model. */
export interface ScoreReadings {
  /** As the server counts those of one path that it computes. */
  readonly tokensPerPath: number;
  readonly waves: readonly ScoreReading[];
  /** With few and, last, with very many paths there. */
  readonly loops: readonly LoopReading[];
}

interface ScoreTable {
  readonly rewardModel: Pick<MeasuredMachine['rewardModel'], 'pass' | 'callMs' | 'extraTokens'>;
  /** The same for loops of paths as they were read. */
  readonly model: LoopModel;
}

/** Paths with this many tokens. If prefixes are cached, the questions repeat and only the steps are new. */
export function shapeOf(
  { paths, pathTokens, stepTokens }: ScoreSizes,
  reuses: boolean,
  tokensPerWord: number,
): PathShape {
  const words = (tokens: number): number => Math.max(1, Math.round(tokens / tokensPerWord));
  if (!reuses) return { questionWords: 1, stepWords: words(pathTokens) };
  return { questionWords: words(pathTokens - stepTokens), stepWords: words(stepTokens), questions: paths.at(-1)! };
}

export async function readScores(
  scoring: ScoreWaves,
  sizes: ScoreSizes,
  print: (line: string) => void,
): Promise<ScoreReadings> {
  // The first wave makes every question known.
  await scoring.wave(sizes.paths.at(-1)!);
  const tokensPerPath = await scoring.pathTokens();
  const waves = await readWaves(scoring, sizes, tokensPerPath, print);
  const loops: LoopReading[] = [];
  for (const inFlight of [...sizes.fewInFlight, manyInFlight(sizes)]) {
    loops.push(loopReading(inFlight, await scoring.during(inFlight, () => sleep(sizes.loadedMs))));
    print(`  scores, ${inFlight} paths there: ${rateText(loops.at(-1)!, tokensPerPath)}`);
  }
  return { tokensPerPath, waves, loops };
}

/** `ownTokens`: a path's tokens that are computed for its score, without those that the server or the model adds. */
export function scoreTable(readings: ScoreReadings, ownTokens: number): ScoreTable {
  const { pass, callMs, model } = passTimes(readings);
  const extraTokens = Math.max(0, readings.tokensPerPath - ownTokens);
  return { rewardModel: { pass, callMs, extraTokens }, model };
}

export function ownTokens({ pathTokens, stepTokens }: ScoreSizes, reuses: boolean): number {
  return reuses ? stepTokens : pathTokens;
}

/** Two full passes of the longest call. */
function manyInFlight({ paths }: ScoreSizes): number {
  return 2 * paths.at(-1)!;
}

export function loopReading(inFlight: number, { paths, ms }: ScoreReading): LoopReading {
  return { inFlight, pathsPerMs: Math.max(1, paths) / ms };
}

export function rateText({ pathsPerMs }: LoopReading, tokensPerPath: number): string {
  return `${(1000 * pathsPerMs).toFixed(1)} a second, ${(1000 * pathsPerMs * tokensPerPath).toFixed(0)} tokens a second`;
}

async function readWaves(
  scoring: ScoreWaves,
  { paths: sizes }: ScoreSizes,
  tokensPerPath: number,
  print: (line: string) => void,
): Promise<ScoreReading[]> {
  const readings: ScoreReading[] = [];
  for (const paths of sizes) {
    const [a, b] = [await scoring.wave(paths), await scoring.wave(paths)];
    const reading = a.ms <= b.ms ? a : b;
    print(`  ${paths} paths, ${paths * tokensPerPath} tokens: ${reading.ms.toFixed(1)} ms`);
    readings.push(reading);
  }
  return readings;
}

/**
 * A full pass takes what it takes when the next one is there already: the way there and back is hidden then. Smaller ones
 * take what their calls took less that way, whose length is found by the rates with few paths there; never longer than half
 * of what was there with very many, whatever the server's front end made of a call with several paths.
 */
function passTimes({ waves, loops, tokensPerPath }: ScoreReadings) {
  const { pathsPerMs, inFlight } = loops.at(-1)!;
  const passPaths = Math.max(1, Math.floor(passTokens / tokensPerPath));
  const full: [number, number] = [passPaths * tokensPerPath, passPaths / pathsPerMs];
  const smaller = waves.filter(({ paths }) => paths < Math.min(inFlight / 4, passPaths / 2));
  const passesAt = (callMs: number): [number, number][] => {
    const timed = smaller.map(({ paths, ms }): [number, number] => {
      const ownMs = Math.max(paths / pathsPerMs, ms - callMs);
      return [paths * tokensPerPath, Math.min(ownMs, inFlight / 2 / pathsPerMs)];
    });
    return rising([[1, timed[0]?.[1] ?? full[1]], ...timed, full]);
  };
  const modelAt = (callMs: number): LoopModel => {
    const times = curve(passesAt(callMs));
    return { passMs: (paths) => valueAt(times, paths * tokensPerPath), passPaths, callMs };
  };
  const few = loops.slice(0, -1);
  const callMs = few.length === 0 ? 0 : fitCallMs(waves[0]!.ms, modelAt, few);
  return { pass: passesAt(callMs), callMs, model: modelAt(callMs) };
}

/** By tokens, with times that never fall: more work never takes less time. */
export function rising(times: readonly (readonly [number, number])[]): [number, number][] {
  let least = 0;
  return times
    .toSorted(([a], [b]) => a - b)
    .filter(([tokens], at, all) => at === 0 || tokens > all[at - 1]![0])
    .map(([tokens, ms]) => {
      least = Math.max(least, ms);
      return [tokens, least];
    });
}
