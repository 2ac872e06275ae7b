// The slowdown of a generator and a reward model while both work, from the sizes of a few searches up to all that the
// servers take, with one reading per pair of sizes. The two may share a GPU.

import { setTimeout as sleep } from 'node:timers/promises';
import type { GpuUser, SlowdownTable } from '../sim/slowdown.ts';
import { closedLoop, type LoopModel, type LoopReading, passSlowdown, slowed, stepSlowdown } from './closed-loop.ts';
import type { DecodeReading, ExactWaves } from './exact-waves.ts';
import { loopReading, rateText, type ScoreReadings, type ScoreSizes } from './score-table.ts';
import type { ScoreWaves } from './score-waves.ts';

export interface CompanySizes extends ScoreSizes {
  /** Sequences that decode while scores are computed, rising. */
  readonly company: readonly number[];
  readonly promptTokens: readonly number[];
}

/** The reading of one pair of sizes. */
export interface CompanyReading {
  readonly inFlight: number;
  readonly alone: DecodeReading;
  readonly decode: DecodeReading;
  readonly pathsPerMs: number;
}

export async function readCompany(
  waves: ExactWaves,
  scoring: ScoreWaves,
  { loops, tokensPerPath }: ScoreReadings,
  sizes: CompanySizes,
  print: (line: string) => void,
): Promise<CompanyReading[]> {
  const promptTokens = sizes.promptTokens[0]!;
  const decode = (sequences: number) => waves.decode(sequences, promptTokens, 'decode');
  const all: DecodeReading[] = [];
  for (const sequences of sizes.company) all.push(await decode(sequences));
  const readings: CompanyReading[] = [];
  for (const alone of all) {
    for (const { inFlight } of loops) {
      readings.push(await readPair(scoring, inFlight, alone, decode));
      print(lineOf(readings.at(-1)!, tokensPerPath));
      // The pass under way when scores were given up is computed to its end.
      await sleep(sizes.loadedMs / 4);
    }
  }
  return readings;
}

async function readPair(
  scoring: ScoreWaves,
  inFlight: number,
  alone: DecodeReading,
  read: (sequences: number) => Promise<DecodeReading>,
): Promise<CompanyReading> {
  let decode = alone;
  const scored = await scoring.during(inFlight, async () => {
    decode = await read(alone.sequences);
  });
  return { ...loopReading(inFlight, scored), alone, decode };
}

function lineOf(reading: CompanyReading, tokensPerPath: number): string {
  const { inFlight, alone, decode } = reading;
  const steps = `decode of ${alone.sequences} beside ${inFlight} paths: ${decode.stepMs.toFixed(2)} ms, alone ${alone.stepMs.toFixed(2)} ms`;
  return `  ${steps}; scores beside it: ${rateText(reading, tokensPerPath)}`;
}

/** One row per number of sequences, one column per size of pass that exceeds the one before. */
export function slowdownOf(
  readings: readonly CompanyReading[],
  { loops, tokensPerPath }: ScoreReadings,
  model: LoopModel,
): SlowdownTable {
  const passes = loops
    .filter(({ inFlight }) => readings.some((each) => each.inFlight === inFlight))
    .map((loop) => ({ loop, tokens: closedLoop(loop.inFlight, model).pathsPerPass * tokensPerPath }))
    .filter(({ tokens }, at, all) => all.slice(0, at).every((each) => each.tokens < tokens));
  const sequences = [...new Set(readings.map(({ alone }) => alone.sequences))];
  const factors = sequences.map((count) =>
    passes.map(({ loop }) => {
      const reading = readings.find((each) => each.alone.sequences === count && each.inFlight === loop.inFlight)!;
      return factorsOf(reading, loop, model);
    }),
  );
  return {
    sequences,
    passTokens: passes.map(({ tokens }) => tokens),
    generator: factors.map((row) => row.map(({ generator }) => generator)),
    rewardModel: factors.map((row) => row.map(({ rewardModel }) => rewardModel)),
  };
}

function factorsOf(reading: CompanyReading, alone: LoopReading, model: LoopModel): Record<GpuUser, number> {
  const rewardModel = passSlowdown(model, alone, reading);
  const { busy } = closedLoop(reading.inFlight, slowed(model, rewardModel));
  return { rewardModel, generator: stepSlowdown(reading.decode.stepMs / reading.alone.stepMs, busy) };
}
