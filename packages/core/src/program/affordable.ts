// Chooses the samples that go on when the tokens of a search run short: the longest first, as many as the rest can finish.
// Without it all samples grow side by side, and a budget that would have paid for two whole ones ends four in the middle.
// Pure: reads the tree, and keeps nothing.

import type { StrandId } from '../tree/events.ts';
import type { Strand } from '../tree/strand.ts';
import type { Tree } from '../tree/tree.ts';

/** Tokens of a step before any has come: about a paragraph. */
const usualStep = 64;
/** While no sample has ended and nothing says how long one is, so much of the budget is kept for a single one. */
const keptShare = 0.5;

export interface Affordable {
  /** True where this open sample may ask for its next step. */
  goesOn(strand: StrandId): boolean;
  readonly mayOpen: boolean;
}

const everything: Affordable = { goesOn: () => true, mayOpen: true };

/** `budget`: tokens of the whole search; all is affordable where it has none. */
export function affordable(tree: Tree, budget: number | undefined): Affordable {
  if (budget === undefined) return everything;
  const open = [...tree.strands.values()];
  const { completed, pruned } = tree.closed;
  const ended = completed + pruned;
  return ended === 0 ? beforeAnEnd(tree, open, budget) : withLength(tree, open, ended, budget);
}

/** The length of a sample is not known yet: samples share the budget that is not kept back, and then the longest goes on alone. */
function beforeAnEnd(tree: Tree, open: readonly Strand[], budget: number): Affordable {
  const coming = open.filter(isGrowing).length;
  if (tree.tokens + coming * stepTokens(tree) < (1 - keptShare) * budget) return everything;
  // While another grows the longest is not known: two that overtake each other would both be cut.
  const [leader] = coming > 0 ? [] : longestFirst(open);
  return { goesOn: (strand) => strand === leader?.id, mayOpen: open.length === 0 };
}

/** A sample is taken to be as long as those that have ended; where none can be finished the longest goes on alone. */
function withLength(tree: Tree, open: readonly Strand[], ended: number, budget: number): Affordable {
  const grown = open.reduce((sum, { node }) => sum + node.pathTokens, 0);
  const length = (tree.tokens - grown) / ended;
  const least = stepTokens(tree);
  let left = budget - tree.tokens;
  const paid = new Set<StrandId>();
  for (const { id, node } of longestFirst(open)) {
    left -= Math.max(least, length - node.pathTokens);
    if (left >= 0 || (paid.size === 0 && !open.some(isGrowing))) paid.add(id);
  }
  return { goesOn: (strand) => paid.has(strand), mayOpen: open.length === 0 || left >= length };
}

function isGrowing({ awaiting }: Strand): boolean {
  return awaiting > 0;
}

function longestFirst(open: readonly Strand[]): Strand[] {
  return open.toSorted((a, b) => b.node.pathTokens - a.node.pathTokens || a.id - b.id);
}

function stepTokens({ tokens, nodes }: Tree): number {
  return nodes.length < 2 ? usualStep : tokens / (nodes.length - 1);
}
