// The contract of a task that the shipped models solve: recognise a question as a person types it, check an answer exactly,
// judge the lines of a path. Pure: texts in, values out. Excluded: how a model is prompted or sampled.

import type { Fault } from '../base/fault.ts';

export type TaskKind = 'countdown' | 'word-problem' | 'ledger' | 'sudoku';

/** What is wrong with an answer or a line; closed. */
export type WrongReason =
  | 'form' // not what the format asks for
  | 'numbers' // uses other numbers than it may
  | 'arithmetic' // the stated result is not the result
  | 'target' // well made, but not the target
  | 'quantity' // a right calculation of something else
  | 'conflict' // breaks a rule with what stands already
  | 'unsolvable'; // the question has no answer

export type Rightness = { readonly right: true } | { readonly right: false; readonly reason: WrongReason };

export const right: Rightness = { right: true };

export function wrong(reason: WrongReason): Rightness {
  return { right: false, reason };
}

/** Whether a line is right in itself, given the lines before it; unknown where the question and the lines do not say. */
export type LineCheck = 'true' | 'false' | 'unknown';

export function lineCheckOf(verdict: Rightness | undefined): LineCheck {
  if (verdict === undefined) return 'unknown';
  return verdict.right ? 'true' : 'false';
}

export interface Task {
  readonly kind: TaskKind;
  /** The question alone says whether an answer is right; where it does not, only a known answer can. */
  readonly decides: boolean;
  /** The question as the models know it, on one line; a fault where it is of this kind but out of reach; else undefined. */
  recognise(question: string): string | Fault | undefined;
  /** Whether an answer is right. `gold`: the known answer, which word problems need. */
  check(question: string, answer: string, gold?: string): Rightness;
  /** One verdict per line, each given the lines before it: what can be known from the question alone. */
  judge(question: string, lines: readonly string[]): readonly Rightness[];
  /**
   * One line, for a verifier: `true` only where nothing that is in the question or the lines speaks against it. It does not
   * look ahead: a countdown line that leads nowhere is true, and whether a story asks for this quantity is not checked.
   */
  checkLine(question: string, before: readonly string[], line: string): LineCheck;
}

export const answerPrefix = 'Answer: ';

export interface ArithmeticLine {
  readonly a: number;
  readonly operator: string;
  readonly b: number;
  readonly result: number;
  readonly rest: string;
}

export function operationOf(line: string): ArithmeticLine | undefined {
  const match = /^(\d{1,15})([-+*/])(\d{1,15})=(\d{1,15})(.*)$/.exec(line);
  if (match === null) return undefined;
  const [, a, operator, b, result, rest] = match;
  return { a: Number(a), operator: operator!, b: Number(b), result: Number(result), rest: rest! };
}

/** Steps stay among the whole numbers from 0 up; exact, however long the product. */
export function isArithmetic({ a, operator, b, result }: ArithmeticLine): boolean {
  if (operator === '+') return a + b === result;
  if (operator === '-') return a - b === result;
  if (operator === '*') return BigInt(a) * BigInt(b) === BigInt(result);
  return b !== 0 && a % b === 0 && a / b === result;
}
