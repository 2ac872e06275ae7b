// Diverse verifier tree search (Beeching, Tunstall, Rush: "Scaling test-time compute with open models", 2024). Subtrees never compete: each
// continues with the best of its own candidates, so one beginning that the verifier likes cannot take all beams. Subtrees that drew the
// same step share its node, with separate ranges of child indices.

import { defineProgram, type Program } from '@coppice/core/program';
import type { Node } from '@coppice/core/tree';
import type { LevelParent } from '../levels/level-parents.ts';
import {
  byScore,
  type LevelOptions,
  type LevelRule,
  levelDefaults,
  levelKnobs,
  levelShape,
  type NextLevel,
  rolloutsPerBeam,
} from '../levels/level-rule.ts';
import { growLevels } from '../levels/levels.ts';

interface DvtsOptions extends LevelOptions {
  readonly subtrees: number;
  /** Candidates per subtree and level. */
  readonly candidates: number;
}

/** The authors' numbers for 32 paths. */
const dvtsDefaults: DvtsOptions = { ...levelDefaults, subtrees: 8, candidates: 4 };

export const dvts = defineProgram({
  ...levelShape,
  name: 'dvts',
  summary: 'diverse verifier tree search: subtrees side by side, each going on with the best of its own candidates',
  options: levelKnobs,
  create: ({ rollouts, branching: candidates, ...size }, options) =>
    createDvts({ ...size, ...options, subtrees: Math.ceil(rollouts / rolloutsPerBeam), candidates }),
});

export function createDvts(given: Partial<DvtsOptions> = {}): Program {
  const options = { ...dvtsDefaults, ...given };
  const { subtrees, candidates } = options;
  const next: LevelRule['next'] = (level) => bestOfEach(level, candidates);
  const rule = { width: subtrees, rootDraws: subtrees * candidates, next };
  return growLevels(dvts, rule, options);
}

/** The best candidate of each subtree; a subtree whose candidates have all failed is over. */
function bestOfEach(level: readonly LevelParent[], candidates: number): NextLevel {
  const chosen = level.flatMap((parent) => winnersOf(parent, candidates));
  const subtrees = new Map<Node, number>();
  for (const node of chosen) if (!node.terminal) subtrees.set(node, (subtrees.get(node) ?? 0) + 1);
  const going = [...subtrees].map(([node, count]) => ({ node, draws: count * candidates }));
  return { finished: chosen.filter(({ terminal }) => terminal), going, room: chosen.length };
}

/** The best candidate of every subtree on this node. Subtree i has the i-th range of child indices. */
function winnersOf({ node, draws }: LevelParent, candidates: number): Node[] {
  const winners: Node[] = [];
  for (let from = 0; from < draws; from += candidates) {
    const range = Array.from({ length: candidates }, (_, at) => node.byIndex?.get(from + at));
    winners.push(
      ...range
        .filter((child) => child !== undefined)
        .sort(byScore)
        .slice(0, 1),
    );
  }
  return winners;
}
