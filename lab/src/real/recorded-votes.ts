// Recorded samples with all that a vote may read of them: their answers, how sure the model was of each token (training/real, `confidence`), and the
// reward model's scores where there are any. Read once, question by question; nothing is judged here.

import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import type { GoldQuestion } from '@coppice/core/answering';
import { type DrawnLine, drawnLines, recordedLines, type ScoredLine, sampleOf } from './rivals.ts';

export interface VotedStep {
  readonly tokens: number;
  readonly confidences: readonly number[];
  /** Missing where nothing scored it. */
  readonly reward?: number;
}

export interface VotedSample {
  /** What stands for its answer among equal ones; undefined where it gives none. */
  readonly answer: string | undefined;
  readonly right: boolean;
  readonly steps: readonly VotedStep[];
}

/** As long as a step of coppice may be: longer ones are cut there. */
const stepTokens = 256;

interface Confidences {
  readonly steps: readonly number[];
  readonly values: Uint16Array;
}

interface ConfidenceHead {
  readonly scale: number;
  readonly solutions: readonly (readonly [string, number, number, readonly number[]])[];
}

/** By name of the solution; see `write` of training/real/confidence.py for the form. */
export function readConfidences(files: readonly string[]): { scale: number; of: ReadonlyMap<string, Confidences> } {
  const found = new Map<string, Confidences>();
  let scale = 1;
  for (const file of files) {
    const bytes = gunzipSync(readFileSync(file));
    const start = bytes.indexOf('\n') + 1;
    const head = JSON.parse(bytes.toString('utf8', 0, start)) as ConfidenceHead;
    const count = (bytes.length - start) / 2;
    const all = Uint16Array.from({ length: count }, (_, at) => bytes[start + at]! + 256 * bytes[start + count + at]!);
    let from = 0;
    for (const [set, index, sample, steps] of head.solutions) {
      const tokens = steps.reduce((sum, each) => sum + each, 0);
      found.set(nameOf({ set, index, sample }), { steps, values: all.subarray(from, from + tokens) });
      from += tokens;
    }
    scale = head.scale;
  }
  return { scale, of: found };
}

export interface VoteFiles {
  readonly drawn: readonly string[];
  readonly confidences: readonly string[];
  readonly scored: readonly string[];
}

export interface RecordedQuestion {
  /** Samples that there are. */
  readonly length: number;
  /** The first so many. */
  readonly make: (count: number) => VotedSample[];
}

/** The samples of each question of one set, in their order: those that have confidences, or each as one step where no such file is given. */
export function votedSamples(
  set: string,
  questions: readonly GoldQuestion[],
  files: VoteFiles,
): Map<number, RecordedQuestion> {
  const { scale, of } = readConfidences(files.confidences);
  const odds = new Map(
    files.scored.flatMap((file) => recordedLines<ScoredLine>(file)).map((each) => [nameOf(each), each.odds]),
  );
  const lines = files.drawn.flatMap(drawnLines).filter((line) => line.set === set && line.sample >= 0);
  const isRead = files.confidences.length > 0;
  const known = lines.filter((line) => !isRead || of.has(nameOf(line))).sort((a, b) => a.sample - b.sample);
  const byQuestion = Map.groupBy(known, ({ index }) => index);
  return new Map(
    [...byQuestion]
      .sort(([a], [b]) => a - b)
      .map(([index, own]) => {
        // Made anew each time: token by token they are too many to be kept for all questions.
        const make = (count: number) =>
          own.slice(0, count).map((line) => {
            const name = nameOf(line);
            const whole = { steps: [line.tokens], values: new Uint16Array() };
            return votedSample(questions[index]!, line, of.get(name) ?? whole, scale, odds.get(name));
          });
        return [index, { length: own.length, make }];
      }),
  );
}

function votedSample(
  question: GoldQuestion,
  line: DrawnLine,
  { steps, values }: Confidences,
  scale: number,
  odds: readonly number[] | undefined,
): VotedSample {
  const { group, right } = sampleOf(question, line, odds ?? []);
  let from = 0;
  const made = steps.flatMap((tokens, at) => {
    const reward = odds === undefined ? undefined : chanceOf(odds[Math.min(at, odds.length - 1)] ?? 0);
    const last = at === steps.length - 1 && odds !== undefined ? chanceOf(odds.at(-1) ?? 0) : reward;
    const pieces: VotedStep[] = [];
    for (let left = tokens; left > 0; left -= stepTokens) {
      const size = Math.min(left, stepTokens);
      const confidences = Array.from(values.subarray(from, from + size), (each) => each / scale);
      pieces.push({ tokens: size, confidences, ...(last === undefined ? {} : { reward: last }) });
      from += size;
    }
    return pieces;
  });
  return { answer: group, right, steps: made };
}

function chanceOf(odds: number): number {
  return 1 / (1 + Math.exp(-odds));
}

function nameOf({ set, index, sample }: Pick<DrawnLine, 'set' | 'index' | 'sample'>): string {
  return `${set}:${index}:${sample}`;
}
