// Beam search, P0 appendix B. Level by level: every beam is expanded by several candidates, and the best of all candidates by
// score are the beams of the next level; those among them that are terminal are finished and leave the beam one narrower.

import { defineProgram } from './definition.ts';
import {
  byScore,
  growLevels,
  type LevelOptions,
  levelDefaults,
  levelShape,
  type NextLevel,
  type Planting,
  rolloutsPerBeam,
} from './levels.ts';
import type { Program } from './program.ts';

export interface BeamOptions extends LevelOptions {
  readonly beams: number;
  /** Candidates per beam and level. */
  readonly candidates: number;
}

/** 8 beams as in P0 §5.1; the paper leaves the candidates open and calls the cost quadratic in the beams: 8 each. */
export const beamDefaults: BeamOptions = { ...levelDefaults, beams: 8, candidates: 8 };

export const beam = defineProgram({
  ...levelShape,
  name: 'beam',
  summary: 'beam search, level by level: the best of all candidates go on (P0 appendix B)',
  options: {},
  create: ({ rollouts, branching: candidates, ...size }) =>
    createBeam({ ...size, beams: Math.ceil(rollouts / rolloutsPerBeam), candidates }),
});

export function createBeam(given: Partial<BeamOptions> = {}): Program {
  const options = { ...beamDefaults, ...given };
  const { beams, candidates } = options;
  const next = (level: readonly Planting[], room: number) => bestCandidates(level, room, candidates);
  return growLevels(beam, { width: beams, rootDraws: candidates, next }, options);
}

function bestCandidates(level: readonly Planting[], room: number, candidates: number): NextLevel {
  const chosen = level
    .flatMap(({ node }) => node.children)
    .sort(byScore)
    .slice(0, room);
  const going = chosen.filter(({ terminal }) => !terminal).map((node) => ({ node, draws: candidates }));
  return { finished: chosen.filter(({ terminal }) => terminal), going, room: going.length };
}
