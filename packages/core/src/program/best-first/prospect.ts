// The place where the next draw is likely to bring most: prospect = score · P(a draw there is new) / (1 + lines that failed there). A place whose
// lines fail is tried again while its lines are new; where the model keeps saying the same, the draw goes to a place higher up at which it
// might have said something else. Pure functions of the tree; nothing here knows a task.

import { drawsLeft, isExpanding, type Node } from '../../tree/node.ts';
import type { Tree } from '../../tree/tree.ts';
import type { Prior } from '../prior.ts';
import type { Doomed } from '../program.ts';

/** A node is full at so many times `branching`, which says how many paths an effort buys, not how wide a tree may be. */
export const widest = 8;
/** A draw beside others in flight must promise at least this share of what the best place would promise without them. */
const minShareBesideInFlight = 3 / 4;
/**
 * When a search gives up, for each rollout that it may have: the best place that is left has had so many lines that are certainly wrong, and
 * they cost so many tokens; or half of the rollouts and so many tokens in all were spent without one path of a score. Chosen on calibration
 * questions (decision 190), of models whose lines are checked: where nothing is certainly wrong a search never gives up.
 */
const patience = { linesAtPlace: 1 / 16, tokensAtPlace: 2.5, tokens: 12 };
/** Lines, and rollouts, that any search is worth. */
const leastPatience = 8;
/** A step whose probability is all but 1 may still be followed by another. */
const leastUnseen = 0.001;

interface PlaceSurroundings {
  readonly prior: Prior;
  /** Rollouts of the whole search, as its effort bought. */
  readonly rollouts: number;
  /** Draws that are only imagined (foresee), by node. */
  readonly drawn?: ReadonlyMap<Node, number>;
  readonly doomed?: Doomed | undefined;
}

const nothingDrawn: ReadonlyMap<Node, number> = new Map();

interface DrawPlace {
  readonly node: Node;
  readonly prospect: number;
}

/** Place of a new strand; undefined if nothing is left, if waiting for the draws in flight is better, or if it is time to give up. */
export function placeToOpen(root: Node, surroundings: PlaceSurroundings): Node | undefined {
  const { drawn = nothingDrawn } = surroundings;
  const flying = (node: Node) => (node.inFlight?.size ?? 0) + (drawn.get(node) ?? 0);
  const next = bestPlace(root, surroundings, flying);
  if (next === undefined || isSpent(next.node, surroundings)) return undefined;
  const alone = bestPlace(root, surroundings, () => 0)!;
  return next.prospect >= minShareBesideInFlight * alone.prospect ? next.node : undefined;
}

/** Place of a strand that goes on from a node: the node, if nothing has been drawn there yet, or the best place below. */
export function placeToGoOn(from: Node, surroundings: PlaceSurroundings): Node | undefined {
  if (from.children.length === 0 && !isExpanding(from) && !surroundings.doomed?.(from)) return from;
  const next = bestPlace(from, surroundings, (node) => node.inFlight?.size ?? 0);
  return next === undefined || isSpent(next.node, surroundings) ? undefined : next.node;
}

/** Draws that could be made beside those in flight at the best place. */
export function roomBeside(root: Node, surroundings: PlaceSurroundings): number {
  const alone = bestPlace(root, surroundings, () => 0);
  if (alone === undefined) return 0;
  const { node } = alone;
  const most = Math.max(1, Math.floor((1 / minShareBesideInFlight - 1) * (1 + failuresAt(node, undefined))));
  return Math.max(0, Math.min(drawsLeft(node), most - (node.inFlight?.size ?? 0)));
}

/** Ties go to the deepest place, then to the first in the order of keys. */
function bestPlace(
  from: Node,
  { prior, drawn = nothingDrawn, doomed }: PlaceSurroundings,
  flying: (node: Node) => number,
): DrawPlace | undefined {
  let best: DrawPlace | undefined;
  const walk: Node[] = [from];
  for (let node = walk.pop(); node !== undefined; node = walk.pop()) {
    for (const child of node.children.toReversed()) if (child.available > 0) walk.push(child);
    if (drawsLeft(node) <= (drawn.get(node) ?? 0) || doomed?.(node)) continue;
    const prospect = (node.score * unseen(node, prior)) / (1 + failuresAt(node, doomed) + flying(node));
    const isBetter =
      best === undefined || prospect > best.prospect || (prospect === best.prospect && node.depth > best.node.depth);
    if (isBetter) best = { node, prospect };
  }
  return best;
}

/** Lines that led nowhere; one whose reward is between 0 and 1 failed as much as that says. */
function failuresAt({ children }: Node, doomed: Doomed | undefined): number {
  let failed = 0;
  for (const child of children) failed += child.terminal || doomed?.(child) ? 1 : 1 - (child.reward ?? 1);
  return failed;
}

/**
 * The probability that a draw is none of the children that are there: the share of them that came but once (Good and Turing), and no more than
 * their own probabilities leave, where log probabilities are read. A temperature other than 1 makes those too low: the counts mend it.
 */
function unseen({ children, byIndex }: Node, prior: Prior): number {
  if (children.length === 0) return 1;
  const single = children.filter(({ count }) => count === 1).length;
  const counted = Math.min(1, (single + 0.5) / ((byIndex?.size ?? 0) + 0.5));
  if (prior !== 'logprob') return counted;
  let mass = 0;
  for (const { step } of children) mass += Math.exp((step?.meanLogprob ?? 0) * (step?.tokens ?? 1));
  // Two children of probability 1 have none that is known.
  return mass > 1.001 ? counted : Math.min(counted, Math.max(leastUnseen, 1 - mass));
}

function isSpent(node: Node, { rollouts }: PlaceSurroundings): boolean {
  const failures = node.children.filter(({ reward }) => reward === 0).length;
  if (failures < Math.max(leastPatience, patience.linesAtPlace * rollouts)) return false;
  const tokens = node.children.reduce((sum, { step }) => sum + (step?.tokens ?? 0), 0) / node.children.length;
  return failures * tokens >= patience.tokensAtPlace * rollouts;
}

/** True once a search has spent what a question that does not yield is worth. */
export function isGivenUp({ tokens, closed, best }: Tree, rollouts: number): boolean {
  if ((best?.score ?? 0) > 0) return false;
  const spent = closed.completed + closed.pruned;
  return spent >= Math.max(leastPatience, rollouts / 2) && tokens >= patience.tokens * rollouts;
}
