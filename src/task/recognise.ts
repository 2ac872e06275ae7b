// Puts a question that a person typed into the form that the shipped models were trained on, or says plainly that it is
// none of theirs. The tasks are tried in turn; the first that knows the question answers for it.

import { type Fault, fault } from '../base/fault.ts';
import { countdown } from './countdown.ts';
import { ledger } from './ledger.ts';
import { sudoku } from './sudoku.ts';
import type { Task, TaskKind } from './task.ts';
import { wordProblem } from './word-problem.ts';

export const tasks: readonly Task[] = [countdown, ledger, sudoku, wordProblem];

export interface Recognised {
  readonly kind: TaskKind;
  /** On one line, without the newline that the models expect after it. */
  readonly question: string;
}

export function recognise(question: string): Recognised | Fault {
  for (const { kind, recognise: attempt } of tasks) {
    const found = attempt(question);
    if (typeof found === 'string') return { kind, question: found };
    if (found !== undefined) return found;
  }
  return fault(
    'unsupported',
    'the shipped models answer four kinds of question: puzzles like "make 24 from 4, 7, 8 and 8", word problems with ' +
      'whole numbers that end in "How many …?", ledgers like "Ledger 4821: a+3921-1184 b-2442 …", and sudokus of 4x4 ' +
      'and 6x6. Any other question needs another model',
  );
}

export function isRecognised(found: Recognised | Fault): found is Recognised {
  return 'kind' in found;
}
