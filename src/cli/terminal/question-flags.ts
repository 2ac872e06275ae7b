// The flags that say which labelled questions a command asks: a shipped task or a file, all of them or some.

import { fileURLToPath } from 'node:url';
import { type GoldQuestion, readQuestions } from '../../answering/question-file.ts';
import { raise } from '../../base/fault.ts';
import { given, oneOf, whole } from './options.ts';

const tasks = ['countdown', 'word-problem', 'ledger', 'sudoku'] as const;
const splits = ['test', 'calibration'] as const;
const text = { type: 'string' } as const;

export type QuestionSplit = (typeof splits)[number];

/** For node:util's parseArgs. */
export function questionOptions(split: QuestionSplit, size: string) {
  return {
    task: { type: 'string', default: 'countdown' },
    split: { type: 'string', default: split },
    questions: text,
    range: text,
    size: { type: 'string', default: size },
    full: { type: 'boolean', default: false },
  } as const;
}

export function questionUsage(split: QuestionSplit, size: string): string {
  return `  --task NAME           a shipped task: ${tasks.join(', ')} (countdown)
  --split NAME          its test questions or its calibration questions (${split})
  --questions FILE      your own: JSONL with question (or problem) and answer, or a CSV of Game-of-24 puzzles
  --range A-B           only questions A to B of the file, counted from 1
  --size N              so many questions, spread evenly over the set (${size})
  --full                all of them`;
}

export interface QuestionChoice {
  readonly task: (typeof tasks)[number];
  readonly split: QuestionSplit;
  readonly file?: string;
  readonly range?: readonly [number, number];
  readonly size: number;
  readonly full: boolean;
}

interface QuestionValues {
  readonly task: string;
  readonly split: string;
  readonly questions?: string | undefined;
  readonly range?: string | undefined;
  readonly size: string;
  readonly full: boolean;
}

export function readQuestionFlags(values: QuestionValues): QuestionChoice {
  return {
    task: oneOf('task', values.task, tasks),
    split: oneOf('split', values.split, splits),
    size: whole('size', values.size, 1, 1_000_000, 'questions'),
    full: values.full,
    ...given('file', values.questions, String),
    ...given('range', values.range, readRange),
  };
}

export function chooseQuestions(choice: QuestionChoice): readonly GoldQuestion[] {
  const file = choice.file ?? taskFile(choice);
  const all = readQuestions(file);
  const [from, to] = choice.range ?? [1, all.length];
  if (to > all.length) raise('bad-setting', `--range ends at ${to}; ${file} has ${all.length} questions`);
  const ranged = all.slice(from - 1, to);
  if (choice.full || choice.size >= ranged.length) return ranged;
  return Array.from({ length: choice.size }, (_, at) => ranged[Math.floor((at * ranged.length) / choice.size)]!);
}

function readRange(text: string): readonly [number, number] {
  const [, from = '', to = ''] = text.match(/^(\d+)-(\d+)$/) ?? [];
  if (from === '' || Number(from) < 1 || Number(to) < Number(from)) {
    raise('bad-setting', `--range is '${text}'; it must be two numbers from 1, such as 901-1000`);
  }
  return [Number(from), Number(to)];
}

function taskFile({ task, split }: QuestionChoice): string {
  return fileURLToPath(new URL(`../../../tasks/${task}.${split}.jsonl`, import.meta.url));
}
