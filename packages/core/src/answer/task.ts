// The contract of a task: questions of one kind that can be checked by computing. Recognises a question as a person types it, checks an
// answer exactly, judges the lines of a path. Pure: texts in, values out. Excluded: how a model is prompted or sampled.

import type { Fault } from '../base/fault.ts';

export type WrongReason =
  | 'form' // not what the format asks for
  | 'numbers' // uses other numbers than it may
  | 'arithmetic' // the stated result is not the result
  | 'target' // well made, but not the target
  | 'quantity' // a right calculation of something else
  | 'conflict' // breaks a rule with what stands already
  | 'unsolvable'; // the question has no answer

export type Rightness = { readonly right: true } | { readonly right: false; readonly reason: WrongReason };

/** A line judged in itself, given the lines before it; unknown where question and lines do not say. */
export type LineCheck = 'true' | 'false' | 'unknown';

export interface Task {
  readonly kind: string;
  /** The question alone says whether an answer is right; where it does not, only a known answer can. */
  readonly decides: boolean;
  /** The question as the models know it, on one line; a fault where it is of this kind but out of reach; else undefined. */
  recognise(question: string): string | Fault | undefined;
  /** `gold`: the known answer, which word problems need. */
  check(question: string, answer: string, gold?: string): Rightness;
  /** A verdict per line, each given the lines before it, from the question alone. */
  judge(question: string, lines: readonly string[]): readonly Rightness[];
  /**
   * Judges one line for a verifier: `true` only where nothing in the question or the lines speaks against it. It does not
   * look ahead: a countdown line that leads nowhere is true, and whether a story asks for this quantity is not checked.
   */
  checkLine(question: string, before: readonly string[], line: string): LineCheck;
}

/** The task whose question this is, in the form of the models or as a person types it. */
export function taskOf(tasks: readonly Task[], question: string): Task | undefined {
  return tasks.find((task) => typeof task.recognise(question) === 'string');
}

/** `unknown` for a question of no task. Lines may end in their delimiter. */
export function checkLine(
  tasks: readonly Task[],
  question: string,
  before: readonly string[],
  line: string,
): LineCheck {
  const lines = before.map((each) => each.trimEnd());
  return taskOf(tasks, question)?.checkLine(question, lines, line.trimEnd()) ?? 'unknown';
}
