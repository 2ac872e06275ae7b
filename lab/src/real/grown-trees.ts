// Trees grown by searches of `contest`: the cost and right answers of ending at the first answer with a score, and the trees as a recording for the
// simulator. Unlike recorded samples, a grown tree branches where the search did. Pure.

import { type RecordedTree, type TreesHeader, treesFormat, treesVersion } from '../service/index.ts';
import type { KeptNode } from './kept-tree.ts';

/** A search as `contest` stores it; nodes are in order of arrival. */
export interface Grown {
  readonly question: string;
  readonly nodes: readonly KeptNode[];
}

export interface FirstPassage {
  readonly accepted: boolean;
  readonly right: boolean;
  /** Of the generator, up to the answer that was taken or to the end. */
  readonly tokens: number;
}

/** Ways in which a path's rewards become its score. */
export const aggregations = ['minimum', 'product', 'last'] as const;
export type GrownAggregation = (typeof aggregations)[number];

const joined: Readonly<Record<GrownAggregation, (sofar: number, reward: number) => number>> = {
  minimum: Math.min,
  product: (sofar, reward) => sofar * reward,
  last: (_, reward) => reward,
};

/** The score of each node's path, the root's first. */
function scores(nodes: readonly KeptNode[], aggregation: GrownAggregation): number[] {
  const found = [1];
  for (const [parent, , reward] of nodes)
    found.push(joined[aggregation](found[parent] ?? 0, Math.max(0, reward / 1000)));
  return found;
}

/** The first answer whose score reaches the threshold, else the best-scored one. */
export function firstPassage({ nodes }: Grown, threshold: number, aggregation: GrownAggregation): FirstPassage {
  const scored = scores(nodes, aggregation);
  let tokens = 0;
  let best = { score: -1, right: false };
  for (const [at, node] of nodes.entries()) {
    const [, own, , draws, , right] = node;
    tokens += own * draws;
    const score = scored[at + 1]!;
    if (right === undefined || score <= best.score) continue;
    best = { score, right: right === 1 };
    if (score >= threshold) return { accepted: true, right: best.right, tokens };
  }
  return { accepted: false, right: best.right, tokens };
}

/** Share of pairs of a right and a wrong end within a tree in which the right one has the higher last reward; equal rewards count half. */
export function endsToldApart(grown: readonly Grown[]): { readonly share: number; readonly pairs: number } {
  let won = 0;
  let pairs = 0;
  for (const { nodes } of grown) {
    const ends = nodes.filter(([, , reward, , , right]) => right !== undefined && reward >= 0);
    const [rights, wrongs] = [1, 0].map((wanted) => ends.filter((end) => end[5] === wanted).map((end) => end[2]));
    for (const right of rights!)
      for (const wrong of wrongs!) {
        pairs += 1;
        won += right === wrong ? 0.5 : Number(right > wrong);
      }
  }
  return { share: won / pairs, pairs };
}

/** The header and the trees, a line each. */
export function recordingOf(model: string, verifier: string, seed: number, grown: readonly Grown[]): string[] {
  const header: TreesHeader = {
    format: treesFormat,
    version: treesVersion,
    model,
    modelHash: '',
    verifier,
    samples: 0,
    seed,
  };
  return [header, ...grown.map(recordedOf)].map((line) => JSON.stringify(line));
}

/** `contest` does not keep how long a prompt is; it is computed once a question, so that little depends on it. */
const promptTokens = 150;

function recordedOf({ question, nodes }: Grown): RecordedTree {
  const draws: number[][] = [[], ...nodes.map(() => [])];
  for (const [at, [parent, , , count]] of nodes.entries()) draws[parent]!.push(...Array(count).fill(at + 1));
  const steps = nodes.map((node, at): RecordedTree['nodes'][number] => {
    const [, tokens, reward, , answer, right] = node;
    const ends = right !== undefined;
    const text = ends && answer !== null ? `${at + 1} \\boxed{${answer}}` : `${at + 1}`;
    return {
      step: { text, tokens, meanLogprob: 0, end: ends ? 'eos' : 'delimiter' },
      ...(reward < 0 ? {} : { reward: reward / 1000 }),
      ...(ends ? { right: right === 1 } : {}),
      ...(typeof answer === 'string' ? { answer } : {}),
      draws: draws[at + 1]!,
    };
  });
  return { question, promptTokens, nodes: [{ draws: draws[0]! }, ...steps] };
}
