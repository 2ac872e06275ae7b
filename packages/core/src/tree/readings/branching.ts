// Samples that begin as another did. Behind its first wave a vote that branches draws two that go on from the middle of the best of its first
// three, as the judge reads them, in turn with fresh ones; by the vote of these it shows what such a draw is worth. Pure.

import { meaningOf } from '../../answer/groups.ts';
import { mean } from '../../base/arithmetic.ts';
import { type Node, pathTo } from '../node.ts';
import type { Tree } from '../tree.ts';
import { sampleEnds } from './certaindex.ts';

/** The probe of a node by which the judge reads its path. */
export const readingIndex = 0;
/** Samples of which the best beginning is taken. */
export const beginnings = 3;
/** Samples that go on from there: more would repeat each other. */
const goingOn = 2;
/** Those and the fresh ones between them. */
export const turns = 2 * goingOn;

/** A sample that has ended. */
export interface SampleDraw {
  readonly end: Node;
  /** Tokens of the sample with which it begins. */
  readonly shared: number;
}

/** How a vote that branched came out: shares of right draws, by the vote of other fresh ones, and what a draw cost. */
export interface BranchAudit {
  readonly fresh: number;
  readonly below: number;
  /** Right together: two fresh draws, two below the beginning, one of each. */
  readonly bothFresh: number;
  readonly bothBelow: number;
  readonly oneOfEach: number;
  /** Of a draw below, with what the judge read for it, and of a fresh one. */
  readonly tokens: readonly [below: number, fresh: number];
}

/** The judge was asked, whether it answered or not. */
export function wasRead({ probes }: Node): boolean {
  return probes?.has(readingIndex) === true;
}

/** The judge's score of a path that it has read. */
export function scoreOf({ probes }: Node): number | undefined {
  return probes?.get(readingIndex)?.reward;
}

/** The middles of the first samples; none where they are too short to have any, or one. */
function middlesOf(tree: Tree): Node[] {
  const ends = sampleEnds(tree, beginnings);
  const middles = ends.length < beginnings ? [] : [...new Set(ends.flatMap((end) => middleOf(end) ?? []))];
  return middles.length < 2 ? [] : middles;
}

/** No server goes on with thinking that it keeps in a field of its own. */
function middleOf(end: Node): Node | undefined {
  const distance = ({ pathTokens }: Node) => Math.abs(pathTokens - end.pathTokens / 2);
  let middle: Node | undefined;
  for (let at = end.parent; at?.parent !== undefined; at = at.parent)
    if (middle === undefined || distance(at) <= distance(middle)) middle = at;
  return end.thoughtTokens > 0 ? undefined : middle;
}

export function unreadBeginnings(tree: Tree): Node[] {
  return middlesOf(tree).filter((node) => !wasRead(node));
}

function beginningOf(tree: Tree): Node | undefined {
  const middles = tree.terms?.branches === undefined ? [] : middlesOf(tree);
  if (!middles.every(wasRead)) return undefined;
  const scored = middles.filter((node) => scoreOf(node) !== undefined);
  return scored.toSorted((a, b) => scoreOf(b)! - scoreOf(a)!)[0];
}

/** Where the next sample begins. After a failure it is a fresh one: where no server goes on with a text, a search must not fail of that. */
export function nextBeginning(tree: Tree): Node {
  const { root, terms, failuresInARow } = tree;
  const beginning = failuresInARow > 0 ? undefined : beginningOf(tree);
  if (beginning === undefined) return root;
  const drawn = ({ byIndex, inFlight }: Node) => (byIndex?.size ?? 0) + (inFlight?.size ?? 0);
  const below = drawn(beginning) - beginning.count;
  return below < goingOn && below <= drawn(root) - terms!.branches! ? beginning : root;
}

/** The samples that count, in their own order: of those that share a beginning, the k-th takes its child k. */
export function drawsOf(tree: Tree): SampleDraw[] {
  const beginning = beginningOf(tree);
  const { branches = 0 } = tree.terms ?? {};
  const taken = new Map<Node, number>();
  const draws: SampleDraw[] = [];
  for (;;) {
    const turn = draws.length - branches;
    const isBelow = turn >= 0 && turn < turns && turn % 2 === 0;
    const root = (isBelow && beginning) || tree.root;
    const [end] = sampleEnds({ root }, 1, taken);
    if (end === undefined) return draws;
    draws.push({ end, shared: root.pathTokens });
  }
}

/** Undefined where too little was drawn below a beginning, or the vote says nothing of it. */
export function branchAuditOf(tree: Tree): BranchAudit | undefined {
  const draws = drawsOf(tree);
  const { branches, judge } = tree.terms ?? {};
  const [below, fresh] = [true, false].map((is) => draws.filter(({ shared }) => shared > 0 === is));
  const parent = beginningOf(tree);
  const others = fresh!.slice(0, branches).filter(({ end }) => !pathTo(end).some((node) => node === parent));
  const read = middlesOf(tree).reduce((sum, { pathTokens }) => sum + pathTokens, 0) * (judge?.cost ?? 0);
  const told = (draws: readonly SampleDraw[]) =>
    draws.map(({ end, shared }) => ({ meaning: meaningOf(end), tokens: end.pathTokens - shared }));
  return auditBranches(told(others), told(fresh!.slice(branches)), told(below!), read);
}

/** What a draw means, and its own tokens. */
interface ToldDraw {
  readonly meaning: string | undefined;
  readonly tokens: number;
}

/** `others`: of the first wave, without the one that was gone on with; `later`: fresh ones beside those below; `read`: what judging cost. */
export function auditBranches(
  others: readonly ToldDraw[],
  later: readonly ToldDraw[],
  below: readonly ToldDraw[],
  read: number,
): BranchAudit | undefined {
  if (below.length < 2) return undefined;
  const pairs = later.flatMap((one, at) => later.slice(at + 1).map((other) => [one, other]));
  const seen = pairs.flatMap((pair) => {
    const right = leaderOf([...others, ...later.filter((each) => !pair.includes(each))]);
    if (right === undefined) return [];
    const shareOf = (draws: readonly ToldDraw[]) => mean(draws.map(({ meaning }) => Number(meaning === right)));
    const [own, fresh] = [shareOf(below), shareOf(pair)];
    const bothBelow = bothOf(own, below.length);
    return [{ fresh, below: own, bothFresh: bothOf(fresh, 2), bothBelow, oneOfEach: own * fresh }];
  });
  if (seen.length === 0) return undefined;
  const of = (share: keyof (typeof seen)[number]) => mean(seen.map((each) => each[share]));
  const tokens = (draws: readonly ToldDraw[]) => mean(draws.map((each) => each.tokens));
  const shares = { fresh: of('fresh'), below: of('below') };
  const together = { bothFresh: of('bothFresh'), bothBelow: of('bothBelow'), oneOfEach: of('oneOfEach') };
  return { ...shares, ...together, tokens: [tokens(below) + read / below.length, tokens(later)] };
}

/** The share of pairs of `count` draws of which both are right, where a share of all is. */
function bothOf(share: number, count: number): number {
  return (share * (share * count - 1)) / (count - 1);
}

/** What most of them mean; undefined where they are even. */
function leaderOf(draws: readonly ToldDraw[]): string | undefined {
  const groups = Map.groupBy(draws, ({ meaning }) => meaning);
  groups.delete(undefined);
  const [first, second] = [...groups].sort(([, a], [, b]) => b.length - a.length);
  return first === undefined || first[1].length === second?.[1].length ? undefined : first[0];
}
