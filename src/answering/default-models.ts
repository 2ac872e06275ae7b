// The models that `serve` has where no configuration names any: the shipped one, or the simulated engine.

import { existsSync } from 'node:fs';
import type { PlainTree } from '../config/load.ts';
import { modelPath } from '../engine/llama/shipped-models.ts';

export const simulatedModel: PlainTree = {
  name: 'simulated',
  engine: { kind: 'sim' },
  verifier: { kind: 'sim' },
  threshold: 0.65,
  budget: 128,
  examples: [
    { title: 'Easy', question: 'What is 17 times 23?' },
    { title: 'Needs search', question: 'How many days are in a leap year?' },
  ],
};

/** Of the kinds that the shipped model was trained on; the last cannot be done. */
const saplingExamples: readonly PlainTree[] = [
  { title: 'Make 24', question: 'Make 24 from 2 4 6 8.' },
  { title: 'Countdown', question: 'Make 151 from 4 6 9 23 30.' },
  {
    title: 'Stamps',
    question:
      'Anna has 12 boxes with 24 stamps in each. She gives 75 stamps to Ben. She buys 3 packs of 18 stamps. How many stamps does Anna have now?',
  },
  { title: 'Impossible', question: 'Make 24 from 1 1 1 1.' },
];

/** The shipped model where it is there, else the simulated engine. */
export function defaultModel(): PlainTree {
  if (!existsSync(modelPath('sapling'))) return simulatedModel;
  return {
    name: 'sapling',
    engine: { kind: 'llama' },
    verifier: { kind: 'prm' },
    examples: saplingExamples,
  };
}
