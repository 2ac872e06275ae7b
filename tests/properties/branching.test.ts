// Votes that branch: who is faster changes nothing, also where samples begin alike and pass the node that others go on from.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { hash, Random } from '../../packages/core/src/base/random.ts';
import { worth } from '../../packages/core/src/exit/worth.ts';
import { createAuto } from '../../packages/core/src/program/auto.ts';
import type { Outcome } from '../../packages/core/src/program/program.ts';
import type { Node } from '../../packages/core/src/tree/node.ts';
import { drawsOf } from '../../packages/core/src/tree/readings/branching.ts';
import { Tree } from '../../packages/core/src/tree/tree.ts';

const rollouts = 16;

/** A step follows from its question, node and index; about half are one of two. */
function outcomeOf(question: number, node: Node, index: number): Outcome {
  const random = new Random('step', question, node.key, index);
  const said = random.chance(0.6) ? random.integer(2) : random.integer(1000);
  const isLast = node.depth > 0 && (said % 2 === 0 || node.depth === 4);
  const step = { text: `${said}${isLast ? '.' : ' '}`, tokens: 20 + (said % 9), meanLogprob: 0 };
  const answer = isLast ? { answer: `${said % 3}` } : {};
  return { ok: true, node: node.id, index, form: 0, step: { ...step, end: isLast ? 'eos' : 'delimiter' }, ...answer };
}

/** The evidence of its exit, and the samples that it rests on. */
function ended(question: number, next: (open: number) => number) {
  const price = 10 ** (-6 + 3 * new Random('price', question).uniform());
  const program = createAuto({ samples: rollouts });
  const tree = Tree.plant('product');
  tree.record({ type: 'priced', price, judge: { cost: 0.1, trust: 0.5 }, branches: 3 });
  const line: Outcome[] = [];
  for (;;) {
    for (let ask = program.ask(tree, true); ask !== undefined; ask = program.ask(tree, true)) {
      const { node, probe } = ask;
      const reply = { text: '', tokens: 0, whole: true, reward: (hash(node.key) % 100) / 100 };
      if (probe) line.push({ probe, node: node.id, index: 0, reply });
      else line.push(...ask.indices.map((index) => outcomeOf(question, node, index)));
    }
    program.tell(tree, line.splice(next(line.length), 1)[0]!);
    const view = { tree, belief: program.belief!(tree), nowMs: 0, arrivalMs: 0, admittedMs: 0 };
    const exit = worth.check({ ...view, limits: { threshold: 1, rollouts, price } });
    if (exit === undefined) continue;
    const draws = drawsOf(tree).slice(0, Number(exit.evidence.samples));
    return { exit, draws: draws.map(({ end, shared }) => [end.key, shared]) };
  }
}

it('end with the same evidence whichever of its samples are faster', () => {
  fc.assert(
    fc.property(fc.nat(), fc.nat(), (question, weather) => {
      const random = new Random('weather', weather);
      expect(ended(question, (open) => random.integer(open))).toEqual(ended(question, () => 0));
    }),
    { numRuns: 300 },
  );
});
