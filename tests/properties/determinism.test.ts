// What is promised of one request and one seed (docs/architecture.md): (a) a draw depends on its key alone; (b) depth-first
// at width one and breadth-first at any width, tree, answer and evidence do not depend on who was faster; (c) everything
// else follows from the log: driven again, the program does what it did. More than a quarter of the draws are twins.

import { describe, expect, it } from 'vitest';
import { createAuto } from '../../packages/core/src/program/auto.ts';
import { createBestFirst } from '../../packages/core/src/program/best-first/best-first.ts';
import { createBestOfN, createSelfConsistency } from '../../packages/core/src/program/best-of-n.ts';
import { createMcts } from '../../packages/core/src/program/mcts/mcts.ts';
import type { Program } from '../../packages/core/src/program/program.ts';
import { createPanel } from '../../packages/core/src/program/whole-answers/panel.ts';
import type { Width } from '../../packages/core/src/scheduler/scheduler.ts';
import { createBeam } from '../../packages/papers/src/levels/beam.ts';
import { createRebase } from '../../packages/papers/src/levels/rebase.ts';
import { createChain } from '../../packages/papers/src/programs/chain.ts';
import { createDvts } from '../../packages/papers/src/programs/dvts.ts';
import { createRest } from '../../packages/papers/src/programs/rest.ts';
import { createRstar } from '../../packages/papers/src/programs/rstar.ts';
import { createTot } from '../../packages/papers/src/programs/tot.ts';
import { createRefine } from '../../packages/papers/src/refine/refine.ts';
import { redrive } from '../support/redrive.ts';
import { essence, run } from '../support/toy-run.ts';

const seeds = Array.from({ length: 24 }, (_, seed) => seed);
const mcts = () => createMcts({ rollouts: 8, branching: 3 });
const bestFirst = () => createBestFirst({ rollouts: 8, branching: 3 });
const beam = () => createBeam({ beams: 4, candidates: 3 });
const dvts = () => createDvts({ subtrees: 3, candidates: 2 });
const rest = () => createRest({ rollouts: 8 });
const rstar = () => createRstar({ rollouts: 8 });
const rebase = () => createRebase({ paths: 6 });
const inRounds = () => createRebase({ paths: 7, firstPaths: 3 });
const proposing = () => createTot({ breadth: 3, generator: 'propose' });

function differing(create: () => Program, widths: readonly Width[]): number {
  return seeds.filter((seed) => {
    const [first, ...others] = widths.flatMap((width) =>
      [1, 2].map((weather) => JSON.stringify(essence(run({ create, seed, width, weather: seed + 100 * weather })))),
    );
    return others.some((other) => other !== first);
  }).length;
}

describe('(a) a draw', () => {
  it('has the same seed and says the same, alone or in company, under every program and width', () => {
    const known = new Map<string, string>();
    let again = 0;
    for (const [create, primary] of [
      [mcts, 1],
      [mcts, 6],
      [beam, 4],
    ] as const) {
      const { engine } = run({ create, seed: 3, width: { primary, speculative: 1 }, weather: primary });
      for (const request of engine.requests) {
        const key = `${request.parent}/${request.index}`;
        const said = JSON.stringify([request.seed, engine.step(request)]);
        if (known.has(key)) again += 1;
        expect(known.get(key) ?? said).toBe(said);
        known.set(key, said);
      }
    }
    expect(again).toBeGreaterThan(10);
  });
});

describe('(b) whoever is faster', () => {
  it('depth-first at width one gives the same tree, answer and evidence, speculating or not', () => {
    const widths = [0, 3].map((speculative) => ({ primary: 1, speculative }));
    expect([mcts, bestFirst].map((create) => differing(create, widths))).toEqual([0, 0]);
  });

  it('breadth-first at any width gives the same tree, answer and evidence', () => {
    const widths = [1, 3, 8].map((primary) => ({ primary, speculative: 0 }));
    for (const create of [beam, dvts, rebase, inRounds, proposing]) {
      expect(differing(create, [...widths, { primary: 4, speculative: 3 }])).toBe(0);
    }
  });

  it('finds twins in the trees that are compared', () => {
    const trees = seeds.map(
      (seed) => run({ create: mcts, seed, width: { primary: 1, speculative: 0 }, weather: 1 }).tree,
    );
    const draws = trees.flatMap(({ nodes }) => nodes.slice(1)).reduce((sum, { count }) => sum + count, 0);
    const distinct = trees.reduce((sum, { nodes }) => sum + nodes.length - 1, 0);
    expect(1 - distinct / draws).toBeGreaterThan(0.25);
  });
});

describe('(c) a log driven again', () => {
  const sampled = [
    () => createBestOfN({ samples: 6 }),
    () => createSelfConsistency({ samples: 6 }),
    () => createAuto({ samples: 8 }),
  ];
  const asking = [
    () => createChain({ probeEvery: 12, probeAgree: 2 }),
    () => createPanel({ models: ['small', 'big'], samples: 2, synthesizer: 'big' }),
    () => createRefine({ rollouts: 10 }),
  ];
  const programs = [mcts, bestFirst, beam, ...sampled, ...asking, proposing, rest, rstar];

  it('makes the program do what it did, whatever happened', () => {
    const misfortune = { fail: 0.15, double: 0.2, untilMs: 1e9 };
    let events = 0;
    for (const create of programs) {
      for (const seed of seeds) {
        const width = { primary: 1 + (seed % 8), speculative: seed % 3 };
        const ran = run({ create, seed, width, weather: seed, misfortune, threshold: 0.95 });
        expect(redrive(create(), ran.events), `seed ${seed}`).toBeUndefined();
        events += ran.events.length;
      }
    }
    expect(events).toBeGreaterThan(3000);
  });
});

describe('the tokens of a search', () => {
  it('are those of its tree, lists and played steps included, each counted once', () => {
    for (const create of [rest, proposing]) {
      const { tree, result } = run({
        create,
        seed: 5,
        width: { primary: 4, speculative: 0 },
        weather: 5,
        threshold: 1,
      });
      expect(tree.probeTokens).toBeGreaterThan(0);
      expect(result.cost.committedTokens).toBe(tree.tokens);
    }
  });
});
