// Turns a typed question into the form of the shipped models' training, or refuses it. The tasks are tried in turn.

import { type Fault, fault } from '@coppice/core/base';
import { countdown } from './countdown.ts';
import { ledger } from './ledger.ts';
import { sudoku } from './sudoku.ts';
import type { ShippedTask, TaskKind } from './task.ts';
import { wordProblem } from './word-problem.ts';

export const tasks: readonly ShippedTask[] = [countdown, ledger, sudoku, wordProblem];

export interface Recognised {
  readonly kind: TaskKind;
  /** One line, without the newline that the models expect. */
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
      'whole numbers that end in "How many …?", (sapling-ledger) ledgers like "Ledger 4821: a+3921-1184 b-2442 …" and ' +
      '(sapling-sudoku) sudokus of 4x4 and 6x6. Any other question needs another model',
  );
}

/** Tasks that each shipped generator was trained on (models/README.md). */
const trainedOn: Readonly<Record<string, readonly TaskKind[]>> = {
  sapling: ['countdown', 'word-problem'],
  'sapling-ledger': ['ledger'],
  'sapling-sudoku': ['sudoku'],
};

/** `recognise` for one shipped model; a fault names the model that was trained on the task. */
export function recogniseFor(model: string, question: string): Recognised | Fault {
  const found = recognise(question);
  if (!isRecognised(found) || trainedOn[model]?.includes(found.kind) !== false) return found;
  const others = Object.keys(trainedOn).filter((other) => trainedOn[other]!.includes(found.kind));
  const hint = others.length === 0 ? 'no shipped model has' : `${others.join(', ')} has (model ${others[0]})`;
  return fault('unsupported', `${model} has not learnt questions of the kind ${found.kind}; ${hint}`);
}

export function isRecognised(found: Recognised | Fault): found is Recognised {
  return 'kind' in found;
}
