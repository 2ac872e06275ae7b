// A program that grows level by level, such as beam search, is one function that says what follows a complete level. This one is
// successive halving: it begins with many paths, and every level keeps the better half of them, down to two.

import {
  byScore,
  growLevels,
  type LevelParent,
  levelDefaults,
  levelShape,
  type NextLevel,
} from '@coppice/papers/levels';
import { defineProgram, openModel, search } from 'coppice';

/** The best half of all children continue with one child each; terminal ones are finished. */
function betterHalf(level: readonly LevelParent[], room: number): NextLevel {
  const half = Math.max(2, Math.ceil(room / 2));
  const children = level.flatMap(({ node }) => node.children);
  const kept = children.sort(byScore).slice(0, half);
  const going = kept.filter(({ terminal }) => !terminal).map((node) => ({ node, draws: 1 }));
  return { finished: kept.filter(({ terminal }) => terminal), going, room: half };
}

const halving = defineProgram({
  ...levelShape,
  name: 'halving',
  summary: 'many paths, of which every level keeps the better half',
  options: {},
  create: ({ rollouts, ...size }) =>
    growLevels(
      { name: 'halving' },
      { width: rollouts, rootDraws: rollouts, next: betterHalf },
      { ...levelDefaults, ...size },
    ),
});

const model = await openModel({ engine: { kind: 'sim', speed: 100 }, verifier: { kind: 'sim' }, threshold: 0.65 });
const { exit, program, tree } = await search('a question', {
  model,
  program: halving,
  policy: 'vanilla',
  rollouts: 16,
});
console.log(`${program}: ${exit.kind}, ${tree.root.children.length} beginnings`);
await model.close();
