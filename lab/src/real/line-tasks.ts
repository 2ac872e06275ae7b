// Exact tasks for chat models: few-shot prompts, questions, and the judgement of lines by the shipped tasks' checkers, which test that a line is well
// formed, uses what is there and computes right. A line that leaves one number is judged as the answer that it is. Nothing here looks
// ahead: it is not tested whether the numbers left can still make the target.

import { readFileSync } from 'node:fs';
import { checkLine } from '@coppice/core/answer';
import { isRight, readQuestions } from '@coppice/core/answering';
import { Random } from '@coppice/core/base';
import { questionFile } from '@coppice/core/config';
import { tasks } from '@coppice/llama';
import type { Message } from 'coppice';

export const lineTasks = ['game24', 'countdown', 'sudoku'] as const;
export type LineTask = (typeof lineTasks)[number];

interface Shots {
  readonly system: string;
  readonly examples: readonly (readonly [question: string, lines: readonly string[]])[];
}

const prompts = JSON.parse(readFileSync(new URL('line-prompts.json', import.meta.url), 'utf8')) as Record<
  LineTask,
  Shots
>;

export function linePrompt(task: LineTask, question: string): Message[] {
  const { system, examples } = prompts[task];
  const worked = examples.flatMap(([user, lines]): Message[] => [
    { role: 'user', content: user },
    { role: 'assistant', content: lines.join('\n') },
  ]);
  return [{ role: 'system', content: system }, ...worked, { role: 'user', content: question }];
}

/** 200 questions for measuring; temperatures are chosen on others. */
export function lineQuestions(task: LineTask, part: 'test' | 'tuning'): string[] {
  const random = new Random(task);
  const isTest = part === 'test';
  const all = {
    game24: () => shuffled(games(), random),
    countdown: () => shuffled(shippedCountdowns(isTest ? 'test' : 'calibration'), random),
    sudoku: () => sudokus(random),
  }[task]();
  const shown = prompts[task].examples.map(([question]) => question);
  const fresh = [...new Set(all)].filter((question) => !shown.includes(question));
  return isTest || task === 'countdown' ? fresh.slice(0, 200) : fresh.slice(200);
}

function shippedCountdowns(split: string): string[] {
  const solvable = readQuestions(questionFile('countdown', split)).filter((each) => each.solvable);
  return solvable.map(({ question }) => question);
}

/** Four numbers from 1 to 13 that make 24 by whole numbers. */
function games(): string[] {
  const numbers = Array.from({ length: 13 }, (_, at) => at + 1);
  let hands: number[][] = [[]];
  for (let count = 0; count < 4; count += 1)
    hands = hands.flatMap((hand) =>
      numbers.filter((each) => each >= (hand.at(-1) ?? 1)).map((each) => [...hand, each]),
    );
  return hands.filter((hand) => reaches(hand, 24)).map((hand) => `Make 24 from ${hand.join(' ')}.`);
}

function reaches(numbers: readonly number[], target: number): boolean {
  if (numbers.length === 1) return numbers[0] === target;
  return numbers.some((a, at) =>
    numbers.some((b, other) => {
      if (at === other) return false;
      const results = [a + b, a * b, a - b, a / b].filter((each) => each >= 0 && Number.isInteger(each));
      const rest = numbers.filter((_, index) => index !== at && index !== other);
      return results.some((result) => reaches([...rest, result], target));
    }),
  );
}

/** Grids of 4x4 with six empty cells: one full grid with its digits, its rows and columns within a box and its empty cells drawn. */
function sudokus(random: Random): string[] {
  const order = () => [shuffled([0, 1], random), shuffled([2, 3], random)].flat();
  return Array.from({ length: 300 }, () => {
    const [digits, rows, columns] = [shuffled(['1', '2', '3', '4'], random), order(), order()];
    const full = rows.flatMap((row) =>
      columns.map((column) => digits[[0, 1, 2, 3, 2, 3, 0, 1, 1, 0, 3, 2, 3, 2, 1, 0][4 * row + column]!]!),
    );
    const empty = new Set(shuffled([...full.keys()], random).slice(0, 6));
    return `Sudoku ${full
      .map((digit, at) => (empty.has(at) ? '.' : digit) + (at % 4 === 3 ? ' ' : ''))
      .join('')
      .trim()}`;
  });
}

function shuffled<Each>(all: readonly Each[], random: Random): Each[] {
  const placed = all.map((each) => ({ each, place: random.uniform() })).toSorted((a, b) => a.place - b.place);
  return placed.map(({ each }) => each);
}

const answer = /^Answer: */;

/** "13 - 9 = 4 (left: 4 4 10)" in the shipped form, "13-9=4 left 4 4 10". */
function plain(text: string): string {
  const line = text.trim();
  if (answer.test(line)) return line.replace(answer, 'Answer: ');
  const [, sum, left] = /^(.*)\(left: (.*)\)$/.exec(line) ?? [];
  return left === undefined ? line.replaceAll(' ', '') : `${sum!.replaceAll(' ', '')} left ${left}`;
}

/** False if the last line is wrong, given those before it. An answer must end the path, and only an answer may. */
export function isLineRight(question: string, lines: readonly string[], isEnd: boolean): boolean {
  const shipped = lines.map(plain);
  const line = shipped.pop() ?? '';
  if (isEnd !== answer.test(line) || shipped.some((each) => answer.test(each))) return false;
  const alone = / left (\d+)$/.exec(line)?.[1];
  if (alone !== undefined && !question.startsWith(`Make ${alone} `)) return false;
  const check = checkLine(tasks, question, shipped, line);
  return isEnd ? check === 'true' : check !== 'false';
}

export function isAnswerRight(question: string, line = ''): boolean {
  const asked = { id: question, question, answer: undefined, solvable: true, difficulty: undefined };
  return answer.test(line) && isRight(asked, line.trim().replace(answer, ''));
}
