// One finished search as rows are made of it: its folded tree, what is known of it, and what each leaf is worth.

import { raise } from '@coppice/core/base';
import { type LoggedEvent, SearchFold } from '@coppice/core/log';
import { isPathEnd, type Node, type Sampling } from '@coppice/core/tree';
import { type NodeAdvantages, standings } from './advantages.ts';

/** A log, and what stands beside it. */
export interface LoggedSearch {
  readonly search: string;
  /** Missing where its texts are not kept. */
  readonly question?: string | undefined;
  readonly model: string;
  /** What the operator called them when the search began, where they were named. */
  readonly weights?: string | undefined;
  readonly events: Iterable<LoggedEvent>;
}

export interface FinishedTree extends Omit<LoggedSearch, 'events'> {
  /** All that its engine generated, steps that came twice or were given up included. */
  readonly generatedTokens: number;
  /** The root first, parents before children. */
  readonly nodes: readonly Node[];
  readonly standings: ReadonlyMap<number, NodeAdvantages>;
  readonly isRight: (leaf: Node) => boolean | undefined;
  /** How the children of each node were sampled. */
  readonly samplings: ReadonlyMap<number, Sampling>;
}

/** Whether an answer to the question is right; undefined where nothing says so. */
export type AnswerJudge = (question: string | undefined, answer: string | undefined) => boolean | undefined;

/** Undefined where the search has not ended. */
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
    standings: standings(nodes, (leaf) => outcomeOf(leaf, isRight(leaf))),
  };
}

/** 1 or 0 where it is known to be right or wrong, else the score of its path. */
function outcomeOf({ reward, score }: Node, right: boolean | undefined): number | undefined {
  if (right !== undefined) return right ? 1 : 0;
  return reward === undefined ? undefined : score;
}
