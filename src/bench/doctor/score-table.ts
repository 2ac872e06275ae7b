// What a reward model takes for its scores, as the simulator wants it: passes by their tokens, the way there and back, and
// the tokens that a score computes besides its own.

import { setTimeout as sleep } from 'node:timers/promises';
import { curve, valueAt } from '../../cost/curve.ts';
import type { MeasuredMachine } from '../../cost/machine.ts';
import { closedLoop, fitCallMs, type LoopModel, type LoopReading } from './closed-loop.ts';
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

/** vLLM computes so many tokens in a pass of a reward model that was started as docs/gpu.md says. */
export const passTokens = 16_384;

export interface ScoreTable {
  readonly tokensPerPath: number;
  readonly waves: readonly ScoreReading[];
  /** With few and with very many paths there. */
  readonly loops: readonly LoopReading[];
  readonly rewardModel: Pick<MeasuredMachine['rewardModel'], 'pass' | 'callMs' | 'extraTokens'>;
  readonly model: LoopModel;
}

/** Paths of so many tokens; where prefixes are kept, the questions come again and only the steps are new. */
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
  reuses: boolean,
  print: (line: string) => void,
): Promise<ScoreTable> {
  // The first wave makes every question known.
  await scoring.wave(sizes.paths.at(-1)!);
  const tokensPerPath = await scoring.pathTokens();
  const waves = await readWaves(scoring, sizes, tokensPerPath, print);
  const loops: LoopReading[] = [];
  for (const inFlight of [...sizes.fewInFlight, manyInFlight(sizes)]) {
    loops.push(loopReading(inFlight, await scoring.during(inFlight, () => sleep(sizes.loadedMs))));
    print(`  scores, ${inFlight} paths there: ${rateText(loops.at(-1)!, tokensPerPath)}`);
  }
  const own = reuses ? sizes.stepTokens : sizes.pathTokens;
  const extraTokens = Math.max(0, tokensPerPath - own);
  const { pass, callMs, model } = passTimes(waves, loops, tokensPerPath);
  print(`  a score besides its pass: ${callMs.toFixed(1)} ms, ${extraTokens} tokens`);
  return { tokensPerPath, waves, loops, rewardModel: { pass, callMs, extraTokens }, model };
}

/** Two full passes of the longest call. */
export function manyInFlight({ paths }: ScoreSizes): number {
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
 * take what their calls took less that way, whose length is found by the rates with few paths there.
 */
export function passTimes(
  waves: readonly ScoreReading[],
  loops: readonly LoopReading[],
  tokensPerPath: number,
): { readonly pass: [number, number][]; readonly callMs: number; readonly model: LoopModel } {
  const { pathsPerMs: fullRate, inFlight } = loops.at(-1)!;
  const tokenMs = 1 / (fullRate * tokensPerPath);
  const passesAt = (callMs: number): [number, number][] => {
    const smaller = waves.filter(({ paths }) => paths < inFlight / 4 && paths * tokensPerPath < passTokens / 2);
    const timed = smaller.map(({ paths, ms }): [number, number] => {
      const tokens = paths * tokensPerPath;
      return [tokens, Math.max(tokens * tokenMs, ms - callMs)];
    });
    const least: [number, number][] = timed.length === 0 ? [] : [[1, timed[0]![1]]];
    return rising([...least, ...timed, [passTokens, passTokens * tokenMs]]);
  };
  const modelAt = (callMs: number): LoopModel => {
    const times = curve(passesAt(callMs));
    return { passMs: (paths) => valueAt(times, Math.min(passTokens, paths * tokensPerPath)), callMs };
  };
  const few = loops.slice(0, -1);
  const callMs = few.length === 0 ? 0 : fitCallMs(waves[0]!.ms, modelAt, few);
  return { pass: passesAt(callMs), callMs, model: modelAt(callMs) };
}

/** By tokens, times never falling: more work is not done sooner. */
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

/** Paths of a pass while so many are there. */
export function meanPassTokens({ model, tokensPerPath }: ScoreTable, inFlight: number): number {
  return Math.min(passTokens, closedLoop(inFlight, model).pathsPerPass * tokensPerPath);
}
