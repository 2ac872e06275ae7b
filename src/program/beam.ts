// Beam search, P0 appendix B. Level by level: every beam is expanded by several candidates, and the best of all
// candidates by score are the beams of the next level; those among them that are terminal are finished and leave the
// beam one narrower. Which nodes are the beams of a level follows from the tree alone, so nothing else is kept. A beam is
// a strand; with fewer strands than beams, a strand takes up one beam of the level after the other.

import { byKey } from '../tree/keys.ts';
import { isExpanding, mayGrow, type Node } from '../tree/node.ts';
import type { Sampling } from '../tree/step.ts';
import type { Strand, Tree } from '../tree/tree.ts';
import { type Choice, chosenAnswer } from './choice.ts';
import { defineProgram } from './definition.ts';
import { askBelow, foldOutcome, follow, leastPromising, missingIndices, openAt } from './growth.ts';
import type { Ask, Expansion, Outcome, Program } from './program.ts';

export interface BeamOptions {
  readonly beams: number;
  /** Candidates per beam and level. */
  readonly candidates: number;
  readonly maxDepth: number;
  readonly maxPathTokens?: number | undefined;
  readonly sampling: Sampling;
  readonly choose: Choice;
}

/** 8 beams as in P0 §5.1; the paper leaves the candidates open and calls the cost quadratic in the beams: 8 each. */
export const beamDefaults: BeamOptions = {
  beams: 8,
  candidates: 8,
  maxDepth: 40,
  sampling: { temperature: 0.8 },
  choose: 'best',
};

export function createBeam(options: Partial<BeamOptions> = {}): Program {
  return new Beam({ ...beamDefaults, ...options });
}

/**
 * A beam is grown from the root to its end, a rollout from the leaf it took up: P0 §5.1 sets 8 beams beside 16 rollouts, and
 * so does this at every size.
 */
const rolloutsPerBeam = 2;

export const beam = defineProgram({
  name: 'beam',
  summary: 'beam search, level by level: the best of all candidates go on (P0 appendix B)',
  needsVerifier: true,
  expandsOnce: true,
  takesTemperature: true,
  options: {},
  create: ({ rollouts, branching: candidates, ...size }) =>
    createBeam({ ...size, beams: Math.ceil(rollouts / rolloutsPerBeam), candidates }),
});

/** One level of the search. `chosen` is empty until every beam of the level has been expanded. */
interface BeamLevel {
  readonly beams: readonly Node[];
  /** Beams that wait for no candidate and still want some: none was asked for, all failed, or the expansion was cut. */
  readonly unexpanded: readonly Node[];
  readonly complete: boolean;
  /** The best candidates: those that are terminal are finished, the others are the next level's beams. */
  readonly chosen: readonly Node[];
}

class Beam implements Program {
  readonly name = beam.name;
  readonly needsVerifier = beam.needsVerifier;
  readonly readsLogprobs = false;
  readonly expandsOnce = beam.expandsOnce;
  readonly naturalWidth: number;
  readonly maxPathTokens: number | undefined;
  readonly #options: BeamOptions;

  constructor(options: BeamOptions) {
    this.#options = options;
    this.naturalWidth = options.beams;
    this.maxPathTokens = options.maxPathTokens;
  }

  ask(tree: Tree, mayOpen: boolean): Ask | undefined {
    // Most calls find every beam waiting for its candidates: no need to work out the levels for those.
    if (!mayOpen && !hasIdle(tree)) return undefined;
    const { beams, unexpanded } = this.#levels(tree).at(-1)!;
    const [free] = unoccupied(tree, unexpanded);
    for (const strand of tree.strands.values()) {
      if (strand.awaiting > 0) continue;
      if (unexpanded.includes(strand.node)) return this.#expand(tree, strand);
      if (free !== undefined) {
        tree.record({ type: 'moved', strand: strand.id, node: free.id });
        return this.#expand(tree, strand);
      }
      // Left over when a log ends in the middle of a level's end: no beam will ever need it.
      if (beams.length === 0) tree.record({ type: 'closed', strand: strand.id, closing: 'ended' });
    }
    return mayOpen && free !== undefined ? this.#expand(tree, openAt(tree, free)) : undefined;
  }

  tell(tree: Tree, outcome: Outcome): boolean {
    const strand = foldOutcome(tree, outcome, this.#options);
    if (strand === undefined) return false;
    const level = this.#levels(tree).find((each) => each.beams.includes(strand.node));
    if (strand.node.children.length === 0) tree.record({ type: 'closed', strand: strand.id, closing: 'failed' });
    if (level?.complete) settle(tree, level.chosen);
    return level?.complete ?? false;
  }

  /** Beams of this level that nobody has taken up, then the candidates that lead so far. */
  foresee(tree: Tree, count: number): Expansion[] {
    const { candidates, sampling, beams: width } = this.#options;
    const { beams, unexpanded } = this.#levels(tree).at(-1)!;
    const leading = best(candidatesOf(beams), width).filter((node) => !node.terminal);
    const next = [...unoccupied(tree, unexpanded), ...leading].slice(0, count);
    return next.map((node) => ({ node, indices: missingIndices(node, candidates), sampling }));
  }

  /** A level has no more beams than this to take up. */
  demand(): number {
    return this.naturalWidth;
  }

  yield(tree: Tree, count: number): number[] {
    return leastPromising(tree, count);
  }

  answer(tree: Tree) {
    return chosenAnswer(tree, this.#options.choose);
  }

  #expand(tree: Tree, strand: Strand): Ask {
    return askBelow(tree, strand, missingIndices(strand.node, this.#options.candidates), this.#options.sampling);
  }

  /** All levels so far, from the root's to the one being expanded, which has no beams when the search is over. */
  #levels(tree: Tree): BeamLevel[] {
    const levels: BeamLevel[] = [];
    let room = this.#options.beams;
    for (let beams: readonly Node[] = [tree.root]; ; ) {
      const growing = beams.filter((beam) => mayGrow(beam) && !wasPruned(beam));
      const unexpanded = growing.filter((beam) => !isExpanding(beam));
      const complete = growing.length === 0;
      const chosen = complete ? best(candidatesOf(beams), room) : [];
      levels.push({ beams, unexpanded, complete, chosen });
      if (!complete || beams.length === 0) return levels;
      beams = chosen.filter((node) => !node.terminal);
      room = beams.length;
    }
  }
}

/**
 * After a level: each finished path completes a strand, each beam that goes on has one, and the rest are closed. Where there
 * are fewer strands than finished paths, one takes the place of another: how many paths a search has finished must not
 * depend on its width.
 */
function settle(tree: Tree, chosen: readonly Node[]): void {
  const strands = [...tree.strands.values()];
  const going = chosen.filter((node) => !node.terminal);
  for (const node of chosen) {
    if (!node.terminal) continue;
    const strand = strands.shift();
    if (strand !== undefined) follow(tree, strand, node);
    else tree.record({ type: 'closed', strand: openAt(tree, node).id, closing: 'completed' });
  }
  for (const strand of strands) {
    const node = going.shift();
    if (node !== undefined) follow(tree, strand, node);
    else tree.record({ type: 'closed', strand: strand.id, closing: 'ended' });
  }
}

function hasIdle(tree: Tree): boolean {
  for (const strand of tree.strands.values()) if (strand.awaiting === 0) return true;
  return false;
}

/** A strand was ended here before anything was asked: the beam leaves its level, and is not taken up again. */
function wasPruned(beam: Node): boolean {
  return beam.visits > 0 && beam.children.length === 0 && !isExpanding(beam);
}

function unoccupied(tree: Tree, beams: readonly Node[]): Node[] {
  const occupied = new Set([...tree.strands.values()].map((strand) => strand.node));
  return beams.filter((beam) => !occupied.has(beam));
}

function candidatesOf(beams: readonly Node[]): Node[] {
  return beams.flatMap((beam) => beam.children);
}

/** By score, highest first; equals in the order of their keys, never of their arrival. */
function best(nodes: readonly Node[], count: number): Node[] {
  return [...nodes].sort((a, b) => b.score - a.score || byKey(a, b)).slice(0, count);
}
