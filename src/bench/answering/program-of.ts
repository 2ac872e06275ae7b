// Programs by name, at sizes that compare: `rollouts` is what a user pays for, whatever the program calls it.
import { createBeam } from '../../program/beam.ts';
import { createBestOfN, createGreedy, createSelfConsistency } from '../../program/best-of-n.ts';
import { createMcts } from '../../program/mcts/mcts.ts';
import type { Program, ProgramName } from '../../program/program.ts';
import type { Sampling } from '../../tree/step.ts';

export type ProgramSize = {
  /** Rollouts of MCTS, samples of best-of-n and self-consistency, beams of beam search. */
  readonly rollouts: number;
  /** Steps per expansion; candidates per beam. */
  readonly branching: number;
  readonly maxDepth: number;
  readonly sampling: Sampling;
};

export function programOf(name: ProgramName, size: ProgramSize): Program {
  const { rollouts, branching, maxDepth, sampling } = size;
  switch (name) {
    case 'mcts':
      return createMcts({ rollouts, branching, maxDepth, sampling });
    case 'beam':
      return createBeam({ beams: rollouts, candidates: branching, maxDepth, sampling });
    case 'best-of-n':
      return createBestOfN({ samples: rollouts, maxDepth, sampling });
    case 'self-consistency':
      return createSelfConsistency({ samples: rollouts, maxDepth, sampling });
    case 'greedy':
      return createGreedy({ maxDepth });
  }
}
