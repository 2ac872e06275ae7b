// The shipped models that `serve` opens without a configuration: all that answer questions.

import { existsSync } from 'node:fs';
import type { PlainTree } from '@coppice/core/config';
import { modelPath } from '../shipped-models.ts';

/** Questions of the kinds in the model's training; the last has no solution. */
const saplingExamples: readonly string[] = [
  'Make 24 from 2 4 6 8.',
  'Make 151 from 4 6 9 23 30.',
  'Anna has 12 boxes with 24 stamps in each. She gives 75 stamps to Ben. She buys 3 packs of 18 stamps. How many stamps does Anna have now?',
  'Make 24 from 1 1 1 1.',
];

/** Descriptions for the start of `serve` and for the page. The first is the default. */
const shipped: readonly { readonly model: PlainTree; readonly answers: string }[] = [
  {
    answers: 'countdown puzzles and word problems in the sentences of its training',
    model: { name: 'sapling', engine: { kind: 'llama' }, verifier: { kind: 'prm' }, examples: saplingExamples },
  },
  checked('sapling-sudoku', 'sudokus of 4x4 and 6x6', 'Sudoku ..4. ...1 .413 1..4'),
  checked(
    'sapling-ledger',
    'ledgers of running sums',
    'Ledger 7841: a-1718 b-2831 c+5670 d-1418 e-4310 f+1793 g+3870 h-3373.',
  ),
];

/** A model of one task, whose checker judges it. */
function checked(name: string, answers: string, example: string) {
  const engine = { kind: 'llama', model: name };
  return { answers, model: { name, engine, verifier: { kind: 'exact' }, examples: [example] } };
}

export function shippedDefaults(): readonly PlainTree[] {
  return shipped.filter(({ model }) => existsSync(modelPath(String(model.name)))).map(({ model }) => model);
}

export function answeredBy(name: string): string | undefined {
  return shipped.find(({ model }) => model.name === name)?.answers;
}
