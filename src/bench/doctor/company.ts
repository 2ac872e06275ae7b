// How much slower a generator and a reward model are while both work, at sizes from those of a few searches to all that the
// servers take: one reading for each pair of sizes. The two may share a GPU.

import { setTimeout as sleep } from 'node:timers/promises';
import type { SlowdownTable } from '../../cost/slowdown.ts';
import { closedLoop, passSlowdown, slowed, stepSlowdown } from './closed-loop.ts';
import type { DecodeReading, ExactWaves } from './exact-waves.ts';
import {
  loopReading,
  manyInFlight,
  meanPassTokens,
  rateText,
  type ScoreSizes,
  type ScoreTable,
} from './score-table.ts';
import type { ScoreWaves } from './score-waves.ts';

export interface CompanySizes extends ScoreSizes {
  /** Sequences that decode while scores are computed, rising. */
  readonly company: readonly number[];
  readonly promptTokens: readonly number[];
}

/** What was read of one pair of sizes. */
export interface CompanyReading {
  readonly inFlight: number;
  readonly alone: DecodeReading;
  readonly decode: DecodeReading;
  readonly pathsPerMs: number;
  readonly generator: number;
  readonly rewardModel: number;
}

export async function readCompany(
  waves: ExactWaves,
  scoring: ScoreWaves,
  scores: ScoreTable,
  sizes: CompanySizes,
  print: (line: string) => void,
): Promise<{ readonly slowdown: SlowdownTable; readonly readings: readonly CompanyReading[] }> {
  const promptTokens = sizes.promptTokens[0]!;
  const inFlights = [sizes.fewInFlight.at(-1)!, manyInFlight(sizes)];
  const alone: DecodeReading[] = [];
  for (const sequences of sizes.company) alone.push(await waves.decode(sequences, promptTokens, 'decode'));
  const readings: CompanyReading[] = [];
  for (const own of alone) {
    for (const inFlight of inFlights) {
      readings.push(await readPair(waves, scoring, scores, { alone: own, inFlight, promptTokens }));
      print(lineOf(readings.at(-1)!, scores));
      // The pass under way when scores were given up is computed to its end.
      await sleep(sizes.loadedMs / 4);
    }
  }
  const rows = sizes.company.map((sequences) => readings.filter(({ alone }) => alone.sequences === sequences));
  return {
    slowdown: {
      sequences: sizes.company,
      passTokens: inFlights.map((inFlight) => meanPassTokens(scores, inFlight)),
      generator: rows.map((row) => row.map(({ generator }) => generator)),
      rewardModel: rows.map((row) => row.map(({ rewardModel }) => rewardModel)),
    },
    readings,
  };
}

async function readPair(
  waves: ExactWaves,
  scoring: ScoreWaves,
  { model }: ScoreTable,
  { alone, inFlight, promptTokens }: { alone: DecodeReading; inFlight: number; promptTokens: number },
): Promise<CompanyReading> {
  let decode = alone;
  const scored = await scoring.during(inFlight, async () => {
    decode = await waves.decode(alone.sequences, promptTokens, 'decode');
  });
  const rate = loopReading(inFlight, scored);
  const rewardModel = passSlowdown(model, rate);
  const { busy } = closedLoop(inFlight, slowed(model, rewardModel));
  const generator = stepSlowdown(decode.stepMs / alone.stepMs, busy);
  return { inFlight, alone, decode, pathsPerMs: rate.pathsPerMs, generator, rewardModel };
}

function lineOf(reading: CompanyReading, { tokensPerPath }: ScoreTable): string {
  const { inFlight, alone, decode, generator, rewardModel } = reading;
  const steps = `decode of ${alone.sequences} beside ${inFlight} paths: ${decode.stepMs.toFixed(2)} ms, alone ${alone.stepMs.toFixed(2)} ms`;
  const scores = `scores beside it: ${rateText(reading, tokensPerPath)}`;
  return `  ${steps}; ${scores}; ${generator.toFixed(2)} and ${rewardModel.toFixed(2)} times as long`;
}
