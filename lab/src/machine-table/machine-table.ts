// Measures a machine for the simulator: the servers' times for decode steps, prompts and scores, alone and while the other one works,
// since the two may share a GPU. `npm run lab -- sim --machine` runs on the result.

import { mean, median } from '@coppice/core/base';
import type { Engine, Verifier } from 'coppice';
import { tokensPerWord } from '../rehearse/filler.ts';
import { type CompanyReading, type CompanySizes, readCompany, slowdownOf } from './company.ts';
import { type DecodeReading, ExactWaves, type JoinReading } from './exact-waves.ts';
import type { MeasuredMachine } from './measured-machine.ts';
import { ownTokens, passTokens, readScores, rising, type ScoreReadings, scoreTable, shapeOf } from './score-table.ts';
import { ScoreWaves } from './score-waves.ts';

interface TableSizes extends CompanySizes {
  /** Sequences of the decode waves. */
  readonly sequences: readonly number[];
  /** Of those, the ones whose sequences also follow one another. */
  readonly joining: readonly number[];
  /** Lengths of new prompts. */
  readonly prefillTokens: readonly number[];
}

export const tableSizes: TableSizes = {
  sequences: [1, 8, 32, 64, 128, 256, 512],
  joining: [8, 32, 64, 128],
  promptTokens: [128, 640],
  prefillTokens: [64, 256, 1024, 2048, 4096],
  paths: [1, 2, 4, 8, 16, 36],
  pathTokens: 400,
  // The question then ends half a block of a prefix cache past its last whole one.
  stepTokens: 56,
  fewInFlight: [2, 8],
  // A step beside scores is longer by milliseconds more than by a factor: the factor of few sequences is wrong for many.
  company: [16, 64, 256],
  loadedMs: 2000,
};

interface TableSubject {
  readonly name: string;
  readonly engine: Engine;
  readonly verifier: Verifier;
  readonly kvTokens: number;
  readonly sequenceLimit: number;
  /** Of the reward model's cache. */
  readonly scoreKvTokens: number;
}

/** What a table is made from. */
interface TableReadings {
  readonly decode: readonly DecodeReading[];
  readonly joins: readonly JoinReading[];
  readonly scores: ScoreReadings;
  readonly company: readonly CompanyReading[];
}

export async function measureMachine(
  { name, engine, verifier, kvTokens, sequenceLimit, scoreKvTokens }: TableSubject,
  sizes: TableSizes,
  print: (line: string) => void,
): Promise<MeasuredMachine & { readonly readings: TableReadings }> {
  const ratio = await tokensPerWord(engine);
  const { reusesPrefix } = verifier.capabilities;
  const waves = new ExactWaves(engine, ratio);
  const scoring = new ScoreWaves(verifier, shapeOf(sizes, reusesPrefix, ratio));
  print(`  ${ratio.toFixed(2)} tokens per word`);
  const decode = await decodeReadings(waves, sizes, print);
  const joins = await joinReadings(waves, decode, sizes, print);
  const prefill = await prefillTimes(waves, sizes.prefillTokens.filter(fits(engine)), print);
  const scores = await readScores(scoring, sizes, print);
  const company = await readCompany(waves, scoring, scores, sizes, print);
  waves.release();
  scoring.release();
  const readings = { decode, joins, scores, company };
  const { rewardModel, slowdown } = sharedTable(readings, ownTokens(sizes, reusesPrefix));
  print(`  a score besides its pass: ${rewardModel.callMs.toFixed(1)} ms, ${rewardModel.extraTokens} tokens`);
  return {
    name,
    generator: {
      ...tableOf(decode, sizes),
      prefill,
      joinMs: median(joins.map((each) => each.joinMs)),
      kvTokens,
      sequenceLimit,
    },
    rewardModel: { ...rewardModel, passTokens, reusesPrefix, kvTokens: scoreKvTokens },
    slowdown,
    readings,
  };
}

/** The reward model's side, and the slowdown of both together, by arithmetic alone. */
export function sharedTable({ scores, company }: Pick<TableReadings, 'scores' | 'company'>, own: number) {
  const { rewardModel, model } = scoreTable(scores, own);
  return { rewardModel, slowdown: slowdownOf(company, scores, model) };
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

/** Below the shortest of the prompts, which the server knows by now. */
async function joinReadings(
  waves: ExactWaves,
  decode: readonly DecodeReading[],
  { joining, promptTokens: [promptTokens], loadedMs }: TableSizes,
  print: (line: string) => void,
): Promise<JoinReading[]> {
  const readings: JoinReading[] = [];
  // What one takes alone besides its steps: that of a whole wave has the queue of all of them in it.
  const { requestMs } = decode[0]!;
  for (const sequences of joining) {
    const alone = decode.find((each) => each.sequences === sequences)!;
    const reading = await waves.joins({ ...alone, requestMs }, promptTokens!, loadedMs);
    const rate = `${(1000 * reading.perMs).toFixed(0)} requests a second`;
    print(
      `  ${sequences} that follow one another: ${rate}; each that joins costs the others ${reading.joinMs.toFixed(2)} ms`,
    );
    readings.push(reading);
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

/** Words are not tokens to the last one. */
const spareTokens = 64;

function fits({ capabilities }: Engine): (promptTokens: number) => boolean {
  return (promptTokens) => promptTokens + spareTokens <= (capabilities.contextTokens ?? Number.POSITIVE_INFINITY);
}

/** New prompts of one token's answer; what a request takes besides is left in, and goes out as a difference. */
async function prefillTimes(
  waves: ExactWaves,
  sizes: readonly number[],
  print: (line: string) => void,
): Promise<[number, number][]> {
  const times: [number, number][] = [];
  for (const promptTokens of sizes) {
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
