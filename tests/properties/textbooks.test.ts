// Programs that grow level by level, and samples, beside their textbooks: at width one, and at any width in any order of arrival.
// MCTS has its own (src/program/mcts/mcts.test.ts).

import '../support/property-seed.ts';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Random } from '../../packages/core/src/base/random.ts';
import { createBestOfN, createSelfConsistency } from '../../packages/core/src/program/best-of-n.ts';
import type { Outcome, Program } from '../../packages/core/src/program/program.ts';
import { formKey } from '../../packages/core/src/tree/keys.ts';
import { type Node, pathTo } from '../../packages/core/src/tree/node.ts';
import { Tree } from '../../packages/core/src/tree/tree.ts';
import { createBeam } from '../../packages/papers/src/levels/beam.ts';
import { createRebase } from '../../packages/papers/src/levels/rebase.ts';
import { createDvts } from '../../packages/papers/src/programs/dvts.ts';
import {
  type Draw,
  type Drawn,
  serialBeam,
  serialDvts,
  serialRebase,
  serialSamples,
} from '../support/serial-levels.ts';

const maxDepth = 5;

function drawOf(seed: number): Draw {
  return (path, index): Drawn => {
    const random = new Random(seed, path.join('/'), index);
    return { text: `${index}`, reward: random.beta(4, 1), ends: path.length > 0 && random.chance(0.3) };
  };
}

function textsTo(node: Node): string[] {
  return pathTo(node).map(({ step }) => step!.text);
}

/** All paths that a program grows, whoever is faster. */
function grown(program: Program, draw: Draw, width: number, order: Random): string[] {
  const tree = Tree.plant('product', undefined, program.fullAt);
  const mail: Outcome[] = [];
  for (;;) {
    for (let ask = program.ask(tree, tree.strands.size < width); ask !== undefined; ) {
      const { node, indices, sampling, manner } = ask;
      for (const index of indices) {
        const { text, reward, ends } = draw(textsTo(node), index);
        const step = { text, tokens: 1, meanLogprob: -1, end: ends ? 'eos' : 'delimiter' } as const;
        const scored = program.needsVerifier ? { reward } : {};
        mail.push({ ok: true, node: node.id, index, form: formKey(sampling, manner), step, ...scored });
      }
      ask = program.ask(tree, tree.strands.size < width);
    }
    if (mail.length === 0) break;
    program.tell(tree, mail.splice(order.integer(mail.length), 1)[0]!);
  }
  return tree.nodes.slice(1).map((node) => textsTo(node).join('/'));
}

const seeds = fc.integer({ min: 0, max: 1_000_000 });
const few = fc.integer({ min: 1, max: 6 });

function compare(
  name: string,
  create: (one: number, other: number) => Program,
  textbook: (draw: Draw, one: number, other: number) => string[],
): void {
  it(`${name} grows the paths of its textbook`, () => {
    fc.assert(
      fc.property(seeds, few, few, fc.constantFrom(1, 1, 2, 5, 64), (seed, one, other, width) => {
        const draw = drawOf(seed);
        const paths = grown(create(one, other), draw, width, new Random('order', seed));
        expect(paths.sort()).toEqual(textbook(draw, one, other).sort());
      }),
      { numRuns: 100 },
    );
  });
}

compare(
  'beam',
  (beams, candidates) => createBeam({ beams, candidates, maxDepth }),
  (draw, beams, candidates) => serialBeam(draw, maxDepth, beams, candidates),
);
compare(
  'dvts',
  (subtrees, candidates) => createDvts({ subtrees, candidates, maxDepth }),
  (draw, subtrees, candidates) => serialDvts(draw, maxDepth, subtrees, candidates),
);
compare(
  'rebase',
  (paths, cold) => createRebase({ paths: 2 * paths, balance: 1 / cold, maxDepth }),
  (draw, paths, cold) => serialRebase(draw, maxDepth, 2 * paths, 1 / cold),
);
compare(
  'best-of-n',
  (samples) => createBestOfN({ samples, maxDepth }),
  (draw, samples) => serialSamples(draw, maxDepth, samples),
);
compare(
  'self-consistency (window)',
  (samples, window) => createSelfConsistency({ samples, window, maxDepth }),
  (draw, samples) => serialSamples(draw, maxDepth, samples),
);
