// Pairs of searches with and without speculation: depth-first at width one, breadth-first at any width, in other weather, so that other
// answers come first, and with a speculative width that changes at every decision. Four of five draws may be
// twins, and in every third search many steps have equal rewards.

import { createPolicy } from '../../packages/core/src/policy/create.ts';
import { createBestFirst } from '../../packages/core/src/program/best-first/best-first.ts';
import { createMcts } from '../../packages/core/src/program/mcts/mcts.ts';
import type { Program } from '../../packages/core/src/program/program.ts';
import { createPanel } from '../../packages/core/src/program/whole-answers/panel.ts';
import { createBeam } from '../../packages/papers/src/levels/beam.ts';
import { createRebase } from '../../packages/papers/src/levels/rebase.ts';
import { createChain } from '../../packages/papers/src/programs/chain.ts';
import { createDvts } from '../../packages/papers/src/programs/dvts.ts';
import { createEts } from '../../packages/papers/src/programs/ets.ts';
import { createRest } from '../../packages/papers/src/programs/rest.ts';
import { createRstar } from '../../packages/papers/src/programs/rstar.ts';
import { createTot } from '../../packages/papers/src/programs/tot.ts';
import { createRefine } from '../../packages/papers/src/refine/refine.ts';
import { essence, run } from './toy-run.ts';

const shapes: readonly { readonly create: () => Program; readonly widest: number }[] = [
  { create: () => createMcts({ rollouts: 8, branching: 3 }), widest: 1 },
  { create: () => createBestFirst({ rollouts: 8, branching: 3 }), widest: 1 },
  { create: () => createMcts({ rollouts: 8, branching: 4, selection: 'uct' }), widest: 1 },
  { create: () => createRest({ rollouts: 8 }), widest: 1 },
  { create: () => createRstar({ rollouts: 8 }), widest: 1 },
  { create: () => createChain({ probeEvery: 12, probeAgree: 2 }), widest: 1 },
  { create: () => createPanel({ models: ['small', 'big'], samples: 2, synthesizer: 'big' }), widest: 1 },
  { create: () => createRefine({ rollouts: 8 }), widest: 1 },
  { create: () => createBeam({ beams: 4, candidates: 3 }), widest: 8 },
  { create: () => createDvts({ subtrees: 3, candidates: 2 }), widest: 8 },
  { create: () => createEts({ paths: 6 }), widest: 8 },
  { create: () => createRebase({ paths: 6 }), widest: 8 },
  { create: () => createRebase({ paths: 6, firstPaths: 2 }), widest: 8 },
  { create: () => createTot({ breadth: 3 }), widest: 8 },
  { create: () => createTot({ breadth: 3, generator: 'propose' }), widest: 8 },
];

const { rules: accepting } = createPolicy('positive');

export interface Compared {
  /** What differed, by program and seed. */
  readonly different: string[];
  /** Children that were speculated before their program asked for them. */
  adopted: number;
  /** Ghosts below ghosts. */
  deep: number;
  twins: number;
}

export function compareWithout(seeds: Iterable<number>): Compared {
  const compared: Compared = { different: [], adopted: 0, deep: 0, twins: 0 };
  for (const seed of seeds) {
    const { create, widest } = shapes[seed % shapes.length]!;
    const threshold = seed % 4 === 0 ? 1 : 0.9;
    const one = { create, seed, threshold, ties: seed % 3 === 0 };
    const without = run({ ...one, width: { primary: widest === 1 ? 1 : 4, speculative: 0 }, weather: seed });
    const primary = 1 + (seed % widest);
    // Half of each program's searches have a verifier that scores two steps in one pass.
    const turn = Math.floor(seed / shapes.length);
    const ahead = run({
      ...one,
      rules: accepting,
      looksAhead: turn % 2 === 0,
      width: { primary, speculative: 'random' },
      weather: seed + 7919,
    });
    if (JSON.stringify(essence(ahead)) !== JSON.stringify(essence(without))) {
      compared.different.push(`${create().name}, seed ${seed}`);
    }
    count(compared, ahead);
  }
  return compared;
}

function count(compared: Compared, { events }: ReturnType<typeof run>): void {
  const ghosts = new Set<number>();
  for (const event of events) {
    if (event.type === 'adopted') compared.adopted += 1;
    if (event.type === 'merged') compared.twins += 1;
    if (event.type !== 'ghosted') continue;
    ghosts.add(event.key);
    if (ghosts.has(event.parentKey)) compared.deep += 1;
  }
}
