// Measures a machine for the simulator: what decode steps, prompts and scores take as the servers answer them, alone and
// while the other one works, since the two may share a GPU. `coppice sim --machine` runs on what this gives.

import { setTimeout as sleep } from 'node:timers/promises';
import type { MeasuredMachine } from '../../cost/machine.ts';
import type { Engine } from '../../engine/engine.ts';
import type { Verifier } from '../../verifier/verifier.ts';
import { tokensPerWord } from '../rehearse/filler.ts';
import { mean } from '../statistics.ts';
import { type DecodeReading, ExactWaves } from './exact-waves.ts';
import { type ScoreReading, ScoreWaves } from './score-waves.ts';

export interface TableSizes {
  /** Sequences of the decode waves. */
  readonly sequences: readonly number[];
  readonly promptTokens: readonly number[];
  /** Lengths of new prompts. */
  readonly prefillTokens: readonly number[];
  /** Paths of a call. */
  readonly paths: readonly number[];
  readonly pathTokens: number;
  /** For each reading under load. */
  readonly loadedMs: number;
}

export const tableSizes: TableSizes = {
  sequences: [1, 8, 32, 64, 128, 256],
  promptTokens: [128, 640],
  prefillTokens: [64, 256, 1024, 2048, 4096],
  paths: [1, 2, 4, 8, 16, 36],
  pathTokens: 400,
  loadedMs: 3000,
};

export interface TableSubject {
  readonly name: string;
  readonly engine: Engine;
  readonly verifier: Verifier;
  readonly kvTokens: number;
  readonly sequenceLimit: number;
}

/** What the table was made from, for people to read. */
export interface TableReadings {
  readonly decode: readonly DecodeReading[];
  readonly scores: readonly ScoreReading[];
  readonly scoresSaturated: ScoreReading;
  readonly together: { readonly decode: DecodeReading; readonly alone: DecodeReading; readonly scores: ScoreReading };
}

/** vLLM computes so many tokens in a pass of a reward model that was started as docs/gpu.md says. */
const passTokens = 16_384;
/** Sequences that decode while both models work. */
const togetherSequences = 64;

export async function measureMachine(
  { name, engine, verifier, kvTokens, sequenceLimit }: TableSubject,
  sizes: TableSizes,
  print: (line: string) => void,
): Promise<MeasuredMachine & { readonly readings: TableReadings }> {
  const ratio = await tokensPerWord(engine);
  const waves = new ExactWaves(engine, ratio);
  const scoring = new ScoreWaves(verifier);
  print(`  ${ratio.toFixed(2)} tokens per word`);
  const decode = await decodeReadings(waves, sizes, print);
  const prefill = await prefillTimes(waves, sizes, print);
  const words = Math.round(sizes.pathTokens / ratio);
  const scores = await scoreReadings(scoring, sizes, words, print);
  const fullPaths = 2 * sizes.paths.at(-1)!;
  const scoresSaturated = await scoring.during(fullPaths, words, () => sleep(sizes.loadedMs));
  print(`  scores, two passes there: ${rateText(scoresSaturated)}`);
  const together = await readTogether(waves, scoring, sizes, words, fullPaths);
  print(
    `  decode of ${together.decode.sequences} beside scores: ${together.decode.stepMs.toFixed(2)} ms, alone ${together.alone.stepMs.toFixed(2)} ms`,
  );
  print(`  scores beside decode: ${rateText(together.scores)}`);
  waves.release();
  scoring.release();
  return {
    name,
    generator: { ...tableOf(decode, sizes), prefill, kvTokens, sequenceLimit },
    rewardModel: {
      ...passTimes(scores, scoresSaturated),
      ...{ passTokens, reusesPrefix: verifier.capabilities.reusesPrefix, kvTokens },
    },
    slowdown: {
      generator: Math.max(1, together.decode.stepMs / together.alone.stepMs),
      rewardModel: Math.max(1, tokensPerMs(scoresSaturated) / tokensPerMs(together.scores)),
    },
    readings: { decode, scores, scoresSaturated, together },
  };
}

/** Prompts are computed by a first wave of all of them; the waves that are timed find them in the cache. */
async function decodeReadings(
  waves: ExactWaves,
  sizes: TableSizes,
  print: (line: string) => void,
): Promise<DecodeReading[]> {
  const readings: DecodeReading[] = [];
  for (const promptTokens of sizes.promptTokens) {
    await waves.wave({ sequences: Math.max(...sizes.sequences), promptTokens, tokens: 1, name: 'decode' });
    for (const sequences of sizes.sequences) {
      const reading = await waves.decode(sequences, promptTokens, 'decode');
      print(
        `  decode of ${sequences} at ${reading.contextTokens} tokens: ${reading.stepMs.toFixed(2)} ms a step, ${reading.requestMs.toFixed(1)} ms a request besides`,
      );
      readings.push(reading);
    }
  }
  return readings;
}

function tableOf(readings: readonly DecodeReading[], { sequences }: TableSizes) {
  const contexts = [...new Set(readings.map(({ contextTokens }) => contextTokens))];
  const rows = sequences.map((count) => readings.filter((each) => each.sequences === count));
  // Of one sequence alone: among many that come at once the front end's queue is in it, and searches do not come at once.
  const alone = readings.filter((each) => each.sequences === sequences[0]).map(({ requestMs }) => requestMs);
  const requestMs = mean(alone);
  const decode = rows.map((row): [number, number, ...number[]] => {
    const [first, ...more] = row.map(({ stepMs }) => stepMs);
    return [row[0]!.sequences, first!, ...more];
  });
  return { contexts, decode, requestMs };
}

/** New prompts of one token's answer; what a request takes besides is left in, and goes out as a difference. */
async function prefillTimes(
  waves: ExactWaves,
  sizes: TableSizes,
  print: (line: string) => void,
): Promise<[number, number][]> {
  const times: [number, number][] = [];
  for (const promptTokens of sizes.prefillTokens) {
    const one = { sequences: 1, promptTokens, tokens: 1 };
    // The first takes the way through the tokenizer as well, and the server a while to get going.
    await waves.wave({ ...one, name: 'prefill warm' });
    const ms = Math.min(
      await waves.wave({ ...one, name: 'prefill a' }),
      await waves.wave({ ...one, name: 'prefill b' }),
    );
    print(`  prompt of ${promptTokens} tokens: ${ms.toFixed(1)} ms`);
    times.push([promptTokens, ms]);
  }
  return rising(times);
}

async function scoreReadings(
  scoring: ScoreWaves,
  sizes: TableSizes,
  words: number,
  print: (line: string) => void,
): Promise<ScoreReading[]> {
  const readings: ScoreReading[] = [];
  await scoring.wave(sizes.paths.at(-1)!, words);
  for (const paths of sizes.paths) {
    const reading = faster(await scoring.wave(paths, words), await scoring.wave(paths, words));
    print(`  ${paths} paths, ${reading.tokens} tokens: ${reading.ms.toFixed(1)} ms`);
    readings.push(reading);
  }
  return readings;
}

/**
 * A full pass takes what it takes when the next one is there already: the way there and back is hidden then. What the
 * smallest call takes longer than so many tokens of a full pass is that way, on which the GPU is free.
 */
function passTimes(scores: readonly ScoreReading[], saturated: ScoreReading) {
  const tokenMs = 1 / tokensPerMs(saturated);
  const { tokens: least, ms } = scores[0]!;
  const callMs = Math.max(0, ms - least * tokenMs);
  const full: [number, number] = [passTokens, passTokens * tokenMs];
  const smaller = scores.filter(({ tokens }) => tokens < passTokens / 2);
  const passes = smaller.map(({ tokens, ms }): [number, number] => [
    tokens,
    Math.max(tokens * tokenMs, Math.min(ms - callMs, full[1])),
  ]);
  return { callMs, pass: rising([...passes, full]) };
}

async function readTogether(
  waves: ExactWaves,
  scoring: ScoreWaves,
  sizes: TableSizes,
  words: number,
  fullPaths: number,
): Promise<TableReadings['together']> {
  const sequences = Math.min(togetherSequences, Math.max(...sizes.sequences));
  const promptTokens = sizes.promptTokens[0]!;
  const alone = await waves.decode(sequences, promptTokens, 'decode');
  let decode = alone;
  const scores = await scoring.during(fullPaths, words, async () => {
    decode = await waves.decode(sequences, promptTokens, 'decode');
  });
  return { decode, alone, scores };
}

function faster(a: ScoreReading, b: ScoreReading): ScoreReading {
  return a.ms <= b.ms ? a : b;
}

function tokensPerMs({ tokens, ms }: ScoreReading): number {
  return Math.max(1, tokens) / ms;
}

function rateText({ paths, tokens, ms }: ScoreReading): string {
  return `${((1000 * paths) / ms).toFixed(1)} a second, ${((1000 * tokens) / ms).toFixed(0)} tokens a second`;
}

/** By tokens, times never falling: more work is not done sooner. */
function rising(times: readonly (readonly [number, number])[]): [number, number][] {
  let least = 0;
  return times
    .toSorted(([a], [b]) => a - b)
    .filter(([tokens], at, all) => at === 0 || tokens > all[at - 1]![0])
    .map(([tokens, ms]) => {
      least = Math.max(least, ms);
      return [tokens, least];
    });
}
