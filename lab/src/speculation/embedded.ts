// `npm run bench -- ahead [--questions N] [--range A-B] [--speculate N] [--draft NAME] [--rows …] [--eager]`: the gain of speculation on the embedded
// engine: real weights answer the same questions one by one, with and without it in turns. Exit, answer, score and rollouts must be equal, and so must the bits of
// every draw and reward that both have (drawn-bits.ts). On a CPU speculation turns itself off; `--eager` prevents that. Times mean little on busy cores; rows do not depend on them.

import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import {
  closeModel,
  type GoldQuestion,
  isRight,
  type OpenModel,
  openModel,
  ownModel,
  readQuestions,
} from '@coppice/core/answering';
import { mean, raise } from '@coppice/core/base';
import type { Engine } from 'coppice';
import { runBlock } from 'coppice/bench';
import type { BenchContender, BenchTrial } from '../contest-shapes.ts';
import { percentile } from '../statistics.ts';
import { type ComparedBits, compareBits, DrawnBits } from './drawn-bits.ts';

export const embeddedRows = {
  mcts: { program: 'mcts', policy: 'positive', rollouts: 4 },
  'best-first': { program: 'best-first', policy: 'positive', rollouts: 8 },
  beam: { program: 'beam', policy: 'positive', rollouts: 4 },
} as const satisfies Record<string, Omit<BenchContender, 'name'>>;
type EmbeddedRow = keyof typeof embeddedRows;

/** One question with and without speculation. */
export interface EmbeddedPair {
  readonly without: BenchTrial;
  readonly ahead: BenchTrial;
}

/** Countdown questions from calibration at equal distances, from easy to hard ones. */
export function embeddedQuestions(count: number): readonly GoldQuestion[] {
  const file = fileURLToPath(new URL('../../../packages/llama/tasks/countdown.calibration.jsonl', import.meta.url));
  const all = readQuestions(file);
  return Array.from({ length: count }, (_, at) => all[Math.floor((at * all.length) / count)]!);
}

interface EmbeddedResult {
  readonly pairs: readonly EmbeddedPair[];
  readonly bits: ComparedBits;
}

export async function embeddedPairs(
  model: OpenModel,
  row: EmbeddedRow,
  questions: readonly GoldQuestion[],
  speculate: number,
  eager = false,
): Promise<EmbeddedResult> {
  const drawn = new DrawnBits();
  const overheard = drawn.engine(model.engine);
  const engine = eager ? asOnGpu(overheard) : overheard;
  const asked = { ...model, engine, ...(model.verifier && { verifier: drawn.verifier(model.verifier) }) };
  const turn = eager ? 1 : turnQuestions;
  const answer = async (some: readonly GoldQuestion[], most: number) => {
    const trials: BenchTrial[] = [];
    const contender = { ...embeddedRows[row], name: row };
    const settings = { wish: { speculate: most }, budget: 16, concurrency: 1, seed: 1 };
    await runBlock({ model: asked, settings, isCorrect: isRight }, contender, some, (trial) => trials.push(trial));
    return { trials, said: drawn.take() };
  };
  const pairs: EmbeddedPair[] = [];
  const bits: ComparedBits[] = [];
  for (let at = 0; at < questions.length; at += turn) {
    const some = questions.slice(at, at + turn);
    const without = await answer(some, 0);
    const ahead = await answer(some, speculate);
    pairs.push(...without.trials.map((trial, which) => ({ without: trial, ahead: ahead.trials[which]! })));
    bits.push(compareBits(without.said, ahead.said));
  }
  const total = (of: keyof ComparedBits) => bits.reduce((sum, each) => sum + each[of], 0);
  return { pairs, bits: { compared: total('compared'), other: total('other') } };
}

/** The engine as if a step took as long with many sequences as with one, for as long as nothing was measured: so that it speculates. */
function asOnGpu(engine: Engine): Engine {
  const { ridgeSequences: _, ...capabilities } = engine.capabilities;
  return { ...engine, capabilities };
}

/** Questions before the other has its turn: enough for a runtime to measure what its servers take. */
const turnQuestions = 12;

export function isSame({ without, ahead }: EmbeddedPair): boolean {
  return outcomeOf(without) === outcomeOf(ahead);
}

function outcomeOf({ exit, answer, score, rollouts }: BenchTrial): string {
  return JSON.stringify([exit, answer, score, rollouts]);
}

function differenceOf(pair: EmbeddedPair): string {
  return `${pair.without.question}, without ${outcomeOf(pair.without)}, with ${outcomeOf(pair.ahead)}`;
}

export async function report(print: (line: string) => void, args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      questions: { type: 'string', default: '100' },
      range: { type: 'string' },
      speculate: { type: 'string', default: '4' },
      rows: { type: 'string', default: Object.keys(embeddedRows).join(',') },
      draft: { type: 'string' },
      eager: { type: 'boolean', default: false },
    },
  });
  const questions = rangeOf(embeddedQuestions(wholeOf('questions', values.questions, 2000)), values.range);
  const speculate = wholeOf('speculate', values.speculate, 16);
  const rows = values.rows.split(',').map(rowOf);
  const model = await openModel(
    ownModel({ model: 'sapling', check: 'none', ...(values.draft && { draft: values.draft }) }),
    {},
  );
  try {
    print(
      `${model.note}; ${questions.length} countdown questions, one search at a time, speculate ${speculate}, seed 1`,
    );
    print(
      '| program | the same | draws and rewards compared | with other bits | time, median of ratios | of medians | rows computed | tokens generated | scored |',
    );
    print('|---|--:|--:|--:|--:|--:|--:|--:|--:|');
    const differing: string[] = [];
    for (const row of rows) {
      const { pairs, bits } = await embeddedPairs(model, row, questions, speculate, values.eager);
      print(lineOf(row, pairs, bits));
      differing.push(...pairs.filter((pair) => !isSame(pair)).map((pair) => `${row}: ${differenceOf(pair)}`));
    }
    if (differing.length > 0) print(['', 'differing:', ...differing].join('\n'));
  } finally {
    await closeModel(model);
  }
}

function rowOf(name: string): EmbeddedRow {
  const row = Object.keys(embeddedRows).find((each) => each === name) as EmbeddedRow | undefined;
  return row ?? raise('bad-setting', `--rows has '${name}'; there are ${Object.keys(embeddedRows).join(', ')}`);
}

/** Some of the questions, counted from 1, for a measurement made in several runs. */
function rangeOf(questions: readonly GoldQuestion[], range: string | undefined): readonly GoldQuestion[] {
  const [, from = '1', to = String(questions.length)] = range?.match(/^(\d+)-(\d+)$/) ?? [];
  const some = questions.slice(Number(from) - 1, Number(to));
  if (some.length > 0 && (range === undefined || range === `${from}-${to}`)) return some;
  return raise(
    'bad-setting',
    `--range is '${range}'; it must be two numbers from 1 to ${questions.length}, such as 1-25`,
  );
}

function wholeOf(option: string, text: string, high: number): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= 1 && value <= high) return value;
  return raise('bad-setting', `--${option} is '${text}'; it must be a whole number from 1 to ${high}`);
}

/** All ratios are with speculation over without. */
function lineOf(row: EmbeddedRow, pairs: readonly EmbeddedPair[], bits: ComparedBits): string {
  const ratio = (of: (trial: BenchTrial) => number) => {
    return (mean(pairs.map(({ ahead }) => of(ahead))) / mean(pairs.map(({ without }) => of(without)))).toFixed(2);
  };
  const times = (side: keyof EmbeddedPair) =>
    percentile(
      pairs.map((pair) => pair[side].latencyMs),
      50,
    );
  const each = percentile(
    pairs.map(({ without, ahead }) => ahead.latencyMs / without.latencyMs),
    50,
  );
  const same = `${pairs.filter(isSame).length} of ${pairs.length}`;
  const rows = ratio(({ computedTokens, generatedTokens }) => computedTokens + generatedTokens);
  const tokens = [ratio(({ generatedTokens }) => generatedTokens), ratio(({ scoredTokens }) => scoredTokens)];
  return `| ${[row, same, bits.compared, bits.other, each.toFixed(2), (times('ahead') / times('without')).toFixed(2), rows, ...tokens].join(' | ')} |`;
}
