// The flags that choose labelled questions: a shipped task or a file, all of them or some.

import { type GoldQuestion, readQuestions } from '@coppice/core/answering';
import { raise } from '@coppice/core/base';
import { questionFile } from '@coppice/core/config';
import type { Flags } from './help.ts';
import { given, oneOf, type readArguments, whole } from './options.ts';

const tasks = ['countdown', 'word-problem', 'ledger', 'sudoku'] as const;
export const questionFlags = {
  task: { type: 'string', takes: 'NAME', default: 'countdown', about: `${tasks.join(', ')}` },
  questions: { type: 'string', takes: 'FILE', about: 'your own: JSONL with question and answer' },
  size: { type: 'string', takes: 'N', default: '40', about: 'so many of them, spread evenly' },
  full: { type: 'boolean', default: false, about: 'all of them' },
  range: { type: 'string', takes: 'A-B', about: 'only questions A to B, counted from 1', rare: true },
} as const satisfies Flags;

type QuestionValues = ReturnType<typeof readArguments<{ options: typeof questionFlags }>>['values'];

export function readQuestionFlags(values: QuestionValues) {
  return {
    task: oneOf('task', values.task, tasks),
    size: whole('size', values.size, 1, 1_000_000, 'questions'),
    full: values.full,
    ...given('file', values.questions, String),
    ...given('range', values.range, readRange),
  };
}

export function chooseQuestions(choice: ReturnType<typeof readQuestionFlags>): readonly GoldQuestion[] {
  const file = choice.file ?? questionFile(choice.task, 'test');
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
