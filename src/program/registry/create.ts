// Programs by name, at sizes that compare: `rollouts` is what a user pays for, whatever the program calls it.

import type { Sampling } from '../../tree/step.ts';
import { createBeam } from '../beam.ts';
import { createBestOfN, createGreedy, createSelfConsistency } from '../best-of-n.ts';
import type { Choice } from '../choice.ts';
import { createMcts } from '../mcts/mcts.ts';
import type { Program, ProgramName } from '../program.ts';

export interface ProgramSize {
  /** Rollouts of MCTS, samples of best-of-n and self-consistency, beams of beam search. */
  readonly rollouts: number;
  /** Steps per expansion; candidates per beam. */
  readonly branching: number;
  readonly maxDepth: number;
  readonly sampling: Sampling;
  /** How the answer is chosen where there are scores; self-consistency votes by its nature. */
  readonly choose: Choice;
}

export function createProgram(name: ProgramName, size: ProgramSize): Program {
  const { rollouts, branching, maxDepth, sampling, choose } = size;
  switch (name) {
    case 'mcts':
      return createMcts({ rollouts, branching, maxDepth, sampling, choose });
    case 'beam':
      return createBeam({ beams: rollouts, candidates: branching, maxDepth, sampling, choose });
    case 'best-of-n':
      return createBestOfN({ samples: rollouts, maxDepth, sampling, choose });
    case 'self-consistency':
      return createSelfConsistency({ samples: rollouts, maxDepth, sampling });
    case 'greedy':
      return createGreedy({ maxDepth });
  }
}

/** A program to read its fixed properties from: whether it needs a verifier, which rules it goes with. */
export function exampleOf(name: ProgramName): Program {
  return createProgram(name, { rollouts: 1, branching: 1, maxDepth: 1, sampling: { temperature: 0 }, choose: 'best' });
}
