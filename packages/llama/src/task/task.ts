// Words and lines that the shipped tasks share.

import type { LineCheck, Rightness, Task, WrongReason } from '@coppice/core/answer';

export type { Rightness };

export type TaskKind = 'countdown' | 'word-problem' | 'ledger' | 'sudoku';

export interface ShippedTask extends Task {
  readonly kind: TaskKind;
}

export const right: Rightness = { right: true };

export function wrong(reason: WrongReason): Rightness {
  return { right: false, reason };
}

export function lineCheckOf(verdict: Rightness | undefined): LineCheck {
  if (verdict === undefined) return 'unknown';
  return verdict.right ? 'true' : 'false';
}

/** Prefix of the last line of a finished path. */
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

/** Exact check of one operation on whole numbers from 0 up, however large the product. */
export function isArithmetic({ a, operator, b, result }: ArithmeticLine): boolean {
  if (operator === '+') return a + b === result;
  if (operator === '-') return a - b === result;
  if (operator === '*') return BigInt(a) * BigInt(b) === BigInt(result);
  return b !== 0 && a % b === 0 && a / b === result;
}
