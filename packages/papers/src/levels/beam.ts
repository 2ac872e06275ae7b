// Beam search, P0 appendix B. At each level every beam gets several candidates, and the candidates with the best scores are the
// beams of the next level. Terminal ones are finished, and the beam becomes narrower by one for each.

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
  /** Candidates per beam and level; with spread `score` the mean of all beams. */
  readonly candidates: number;
  readonly spread: (typeof spreads)[number];
}

const spreads = ['even', 'score'] as const;

/** 8 beams as in P0 figure 2. The paper gives no number of candidates but calls the cost quadratic in the beams: hence 8 each. */
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
  // The first level draws enough to fill the beam; with fewer candidates than beams that would take several levels.
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
  const going = spread === 'score' ? drawsByScore(open, candidates) : open.map((node) => ({ node, draws: candidates }));
  const finished = chosen.filter(({ terminal }) => terminal);
  return { finished, going, room: room - finished.length };
}

/** One candidate per beam, the rest in proportion to the scores; what rounding leaves goes to the best beams. */
function drawsByScore(beams: readonly Node[], candidates: number): LevelParent[] {
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
