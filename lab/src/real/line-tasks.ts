// Exact tasks for real models: questions, and the judgement of a line by the shipped tasks' checkers, which ask whether it is well made, uses
// numbers that are there and computes right. A line that leaves one number is judged as the answer that it is. Nothing here looks ahead: whether
// the numbers that are left can still make the target is not asked. Pure but for the reading of questions.

import { checkLine, taskOf } from '@coppice/core/answer';
import { readQuestions } from '@coppice/core/answering';
import { Random, raise } from '@coppice/core/base';
import { questionFile, registeredTasks } from '@coppice/core/config';
import { exampleQuestions, type LineTask } from './line-prompts.ts';

export const lineTasks = ['game24', 'countdown', 'sudoku'] as const satisfies readonly LineTask[];

export interface LineQuestion {
  readonly id: string;
  readonly question: string;
}

export type LinePart = 'test' | 'tuning';

/** Prompts and temperature were chosen on other questions than are measured. */
export function lineQuestions(task: LineTask, part: LinePart): LineQuestion[] {
  const shown = new Set(exampleQuestions(task));
  if (task === 'countdown') return shippedCountdowns(part).filter(({ question }) => !shown.has(question));
  const all = [...new Set(task === 'game24' ? games() : sudokus())].filter((question) => !shown.has(question));
  const made = shuffled(all, new Random(24)).map((question, at) => ({ id: `${task}-${at + 1}`, question }));
  return part === 'test' ? made.slice(0, 200) : made.slice(200);
}

function shippedCountdowns(part: LinePart): LineQuestion[] {
  const file = questionFile('countdown', part === 'test' ? 'test' : 'calibration');
  return readQuestions(file).filter(({ solvable }) => solvable);
}

/** Four numbers from 1 to 13 that make 24 by whole numbers. */
function games(): string[] {
  const found: string[] = [];
  for (let a = 1; a <= 13; a += 1)
    for (let b = a; b <= 13; b += 1)
      for (let c = b; c <= 13; c += 1)
        for (let d = c; d <= 13; d += 1) if (reaches([a, b, c, d], 24)) found.push(`Make 24 from ${a} ${b} ${c} ${d}.`);
  return found;
}

function reaches(numbers: readonly number[], target: number): boolean {
  if (numbers.length === 1) return numbers[0] === target;
  return numbers.some((a, at) =>
    numbers.some((b, other) => {
      if (at === other) return false;
      const rest = numbers.filter((_, index) => index !== at && index !== other);
      const results = [a + b, a * b, ...(a >= b ? [a - b] : []), ...(b !== 0 && a % b === 0 ? [a / b] : [])];
      return results.some((result) => reaches([...rest, result], target));
    }),
  );
}

const side = 4;
const emptyCells = 9;

/** Full grids of 4x4 with nine cells made empty. */
function sudokus(): string[] {
  const random = new Random(44);
  return Array.from({ length: 260 }, () => {
    const grid = filled([], random)!;
    const cells = shuffled([...grid.keys()], random);
    for (const cell of cells.slice(0, emptyCells)) grid[cell] = 0;
    const text = grid.map((digit) => (digit === 0 ? '.' : digit)).join('');
    return `Sudoku ${text.match(/.{4}/g)!.join(' ')}`;
  });
}

function filled(cells: readonly number[], random: Random): number[] | undefined {
  if (cells.length === side * side) return [...cells];
  const [row, column] = [Math.floor(cells.length / side), cells.length % side];
  const isTaken = (digit: number) =>
    cells.some((other, at) => {
      const [r, c] = [Math.floor(at / side), at % side];
      return other === digit && (r === row || c === column || (r >> 1 === row >> 1 && c >> 1 === column >> 1));
    });
  for (const digit of shuffled([1, 2, 3, 4], random)) {
    const whole = isTaken(digit) ? undefined : filled([...cells, digit], random);
    if (whole !== undefined) return whole;
  }
  return undefined;
}

function shuffled<Each>(all: readonly Each[], random: Random): Each[] {
  return all
    .map((each) => ({ each, place: random.uniform() }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ each }) => each);
}

const answer = /^Answer: */;

/** "13 - 9 = 4 (left: 4 4 10)" in the shipped form, "13-9=4 left 4 4 10". */
function plain(text: string): string {
  const line = text.trim();
  if (answer.test(line)) return line.replace(answer, 'Answer: ');
  const [, sum, left] = /^(.*\S)\s*\(left: (.*)\)$/.exec(line) ?? [];
  return left === undefined ? line.replaceAll(' ', '') : `${sum!.replaceAll(' ', '')} left ${left}`;
}

/** False where the line is wrong in itself, given the lines before it, or ends a path that answers nothing. */
export function isLineRight(question: string, lines: readonly string[], isLast: boolean): boolean {
  const [line, ...before] = lines.map(plain).reverse();
  if (line === undefined || before.some((each) => answer.test(each))) return false;
  if (isLast !== answer.test(line)) return false;
  const alone = / left (\d+)$/.exec(line)?.[1];
  if (alone !== undefined && alone !== /^Make (\d+)/.exec(question)?.[1]) return false;
  return checkLine(registeredTasks(), question, before.reverse(), line) !== 'false';
}

/** Of a whole path; its last line alone is the answer. */
export function isAnswerRight(question: string, lines: readonly string[]): boolean {
  const last = plain(lines.at(-1) ?? '');
  const task = taskOf(registeredTasks(), question) ?? raise('internal', `no task has the question ${question}`);
  return answer.test(last) && task.check(question, last.replace(answer, '')).right;
}
