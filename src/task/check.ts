// The checkers of all tasks behind one question: is this line true, is this answer right? The task is found by the question.
// Pure, and total: a question of no task and a line that its task cannot judge are `unknown`, never an error.

import { tasks } from './recognise.ts';
import type { LineCheck, Task } from './task.ts';

/** The task whose question this is, in the form of the models or as a person types it. */
export function taskOf(question: string): Task | undefined {
  return tasks.find((task) => typeof task.recognise(question) === 'string');
}

/** What a checker can say of a line that it found to be false. */
export function falseLine(line: string): string {
  return `This line is wrong: ${line.trim()}`;
}

/** One line, given the lines before it. Lines may end in their delimiter. */
export function checkLine(question: string, before: readonly string[], line: string): LineCheck {
  const task = taskOf(question);
  if (task === undefined) return 'unknown';
  const lines = before.map((each) => each.trimEnd());
  return task.checkLine(question, lines, line.trimEnd());
}
