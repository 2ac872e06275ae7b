// Reads one finished search: its folded tree, its facts, and the outcome of each leaf.

import { raise } from '@coppice/core/base';
import { type LoggedEvent, SearchFold } from '@coppice/core/log';
import { isPathEnd, type Node, type Sampling } from '@coppice/core/tree';
import { advantagesOf, type NodeAdvantages } from './advantages.ts';

export interface LoggedSearch {
  readonly search: string;
  /** Missing if texts are not kept. */
  readonly question?: string | undefined;
  readonly model: string;
  /** The operator's name for the weights when the search began. */
  readonly weights?: string | undefined;
  readonly events: Iterable<LoggedEvent>;
}

export interface FinishedTree extends Omit<LoggedSearch, 'events'> {
  /** Tokens that its engine generated, duplicates and abandoned steps included. */
  readonly generatedTokens: number;
  /** The root first, parents before children. */
  readonly nodes: readonly Node[];
  readonly advantages: ReadonlyMap<number, NodeAdvantages>;
  readonly isRight: (leaf: Node) => boolean | undefined;
  readonly samplings: ReadonlyMap<number, Sampling>;
}

/** Undefined if it cannot be told whether the answer is right. */
export type AnswerJudge = (question: string | undefined, answer: string | undefined) => boolean | undefined;

export function finishedTree(
  { events, ...about }: LoggedSearch,
  rightness: AnswerJudge = () => undefined,
): FinishedTree | undefined {
  const fold = new SearchFold();
  const samplings = new Map<number, Sampling>();
  for (const entry of events) {
    fold.apply(entry);
    if (entry.event.type === 'asked') samplings.set(entry.event.node, entry.event.sampling);
  }
  if (fold.fault !== undefined) raise('damaged', `the log of ${about.search} cannot be exported: ${fold.fault}`);
  if (fold.exit === undefined || fold.tree === undefined) return undefined;
  const { nodes } = fold.tree;
  const generatedTokens = fold.tokens + fold.ghostTokens + (fold.cost?.discardedTokens ?? 0);
  const isRight = (leaf: Node) => (isPathEnd(leaf) ? rightness(about.question, leaf.answer) : undefined);
  return {
    ...about,
    generatedTokens,
    nodes,
    samplings,
    isRight,
    advantages: advantagesOf(nodes, (leaf) => outcomeOf(leaf, isRight(leaf))),
  };
}

/** 1 or 0 if the answer is known to be right or wrong, else the score of its path. */
function outcomeOf({ reward, score }: Node, right: boolean | undefined): number | undefined {
  if (right !== undefined) return right ? 1 : 0;
  return reward === undefined ? undefined : score;
}
