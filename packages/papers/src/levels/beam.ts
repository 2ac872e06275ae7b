// Beam search, P0 appendix B. Level by level: every beam is expanded by several candidates, and the best of all candidates by
// score are the beams of the next level; those among them that are terminal are finished and leave the beam one narrower.

import { defineProgram, type Program } from '@coppice/core/program';
import type { Node } from '@coppice/core/tree';
import type { LevelParent } from './level-parents.ts';
import {
  byScore,
  type LevelOptions,
  type LevelRule,
  levelDefaults,
  levelKnobs,
  levelShape,
  type NextLevel,
  rolloutsPerBeam,
} from './level-rule.ts';
import { growLevels } from './levels.ts';

interface BeamOptions extends LevelOptions {
  readonly beams: number;
  /** Candidates per beam and level; by `score` as many of all beams together. */
  readonly candidates: number;
  readonly spread: (typeof spreads)[number];
}

const spreads = ['even', 'score'] as const;

/** 8 beams as in P0 figure 2; the paper leaves the candidates open and calls the cost quadratic in the beams: 8 each. */
const beamDefaults: BeamOptions = { ...levelDefaults, beams: 8, candidates: 8, spread: 'even' };

export const beam = defineProgram({
  ...levelShape,
  name: 'beam',
  summary: 'beam search, level by level: the best of all candidates go on (P0 appendix B)',
  options: {
    ...levelKnobs,
    spread: {
      default: 'even',
      values: spreads,
      internal: true,
      unit: 'rule',
      why: "how beams share their candidates out: 'even' gives each as many, P0 appendix B; 'score' in proportion to their scores (dynamic branching, P4 §3.1), at least one each",
    },
  },
  create: ({ rollouts, branching: candidates, ...size }, options) =>
    createBeam({ ...size, ...options, beams: Math.ceil(rollouts / rolloutsPerBeam), candidates }),
});

export function createBeam(given: Partial<BeamOptions> = {}): Program {
  const options = { ...beamDefaults, ...given };
  const { beams, candidates } = options;
  const next: LevelRule['next'] = (level, room) => bestCandidates(level, room, options);
  // The first level fills the beam: with fewer candidates than beams it would take several levels to.
  const rootDraws = Math.max(beams, candidates);
  return growLevels(beam, { width: beams, rootDraws, next }, options);
}

function bestCandidates(
  level: readonly LevelParent[],
  room: number,
  { candidates, spread }: Pick<BeamOptions, 'candidates' | 'spread'>,
): NextLevel {
  const chosen = level
    .flatMap(({ node }) => node.children)
    .sort(byScore)
    .slice(0, room);
  const open = chosen.filter(({ terminal }) => !terminal);
  const going =
    spread === 'score' ? byTheirScores(open, candidates) : open.map((node) => ({ node, draws: candidates }));
  const finished = chosen.filter(({ terminal }) => terminal);
  return { finished, going, room: room - finished.length };
}

/** Each beam gets one candidate, the rest in proportion to the scores; what rounding leaves goes to the best. */
function byTheirScores(beams: readonly Node[], candidates: number): LevelParent[] {
  const sum = beams.reduce((total, { score }) => total + score, 0);
  const rest = beams.length * (candidates - 1);
  const draws = beams.map(({ score }) => 1 + Math.floor(sum === 0 ? rest / beams.length : (rest * score) / sum));
  let left = beams.length * candidates - draws.reduce((total, each) => total + each, 0);
  return beams.map((node, at) => {
    const extra = left > 0 ? 1 : 0;
    left -= extra;
    return { node, draws: draws[at]! + extra };
  });
}
