// Lists the answers that a search did not give, best first, each with the reason why it lost; and why paths were given up before they had
// one. Reads the fold of the log; decides nothing. Pure.

import { meaningOf } from '@coppice/core/answer';
import type { SearchFold } from '@coppice/core/log';
import { isComplete, type Node } from '@coppice/core/tree';
import { formatScore } from '../../look/words.ts';
import { shownScoreOf } from '../../tree/mark.ts';

export interface OtherAnswer {
  readonly node: Node;
  readonly words: string;
  readonly score: number | undefined;
  /** Finished paths that end in it. */
  readonly paths: number;
  readonly why: string;
}

interface Group {
  readonly best: Node;
  readonly paths: number;
}

/** While the search grows, the best so far counts as chosen. */
export function otherAnswers(fold: SearchFold, threshold: number | null): OtherAnswer[] {
  const { tree, chosen } = fold;
  if (tree === undefined || chosen === undefined || !chosen.terminal) return [];
  const groups = new Map<string, Group>();
  for (const node of tree.nodes) {
    if (!node.terminal) continue;
    const key = keyOf(node);
    const known = groups.get(key);
    const best = known !== undefined && rankOf(node) <= rankOf(known.best) ? known.best : node;
    groups.set(key, { best, paths: (known?.paths ?? 0) + node.count });
  }
  const own = groups.get(keyOf(chosen))!;
  groups.delete(keyOf(chosen));
  const all = [...groups.values()].reduce((sum, { paths }) => sum + paths, own.paths);
  const why = reasonFor(fold, chosen, own.paths, all, threshold);
  return [...groups.values()]
    .sort((a, b) => rankOf(b.best) - rankOf(a.best) || b.paths - a.paths)
    .map((group) => {
      const { best, paths } = group;
      return { node: best, words: answerWords(best), score: shownScoreOf(best), paths, why: why(group) };
    });
}

export function givenUp({ prunedAt }: SearchFold): string[] {
  const counts = new Map<string, number>();
  for (const rule of prunedAt.values()) counts.set(rule, (counts.get(rule) ?? 0) + 1);
  return [...counts].map(([rule, count]) => {
    return `${count} ${count === 1 ? 'path was' : 'paths were'} given up without an answer: ${describePruning(rule)}.`;
  });
}

const cuts: Readonly<Record<string, string>> = {
  'bound-threshold': 'they could not reach the threshold any more',
  'bound-best': 'they could not beat the best finished path any more',
  promise: 'the verifier saw hardly a chance that they end right',
};

/** Reasons of coppice's own prune rules; others show their name. */
function describePruning(rule: string): string {
  return cuts[rule] ?? `by the rule '${rule}'`;
}

function reasonFor(
  { answer, exit }: SearchFold,
  chosen: Node,
  ownPaths: number,
  all: number,
  threshold: number | null,
): (group: Group) => string {
  const winner = exit === undefined ? 'the best so far' : 'the chosen answer';
  const lead = shownScoreOf(chosen);
  return ({ best, paths }) => {
    if (!isComplete(best)) return 'Its path was cut at a limit before it came to its end.';
    if (answer?.support !== undefined) return byVote(paths, ownPaths, all, lead !== undefined);
    const score = shownScoreOf(best);
    if (score === undefined || lead === undefined)
      return score === undefined
        ? 'Nothing has scored it.'
        : `It scored ${formatScore(score)}; nothing has scored ${winner}.`;
    const below = threshold !== null && score < threshold ? `, and is below the threshold of ${threshold}` : '';
    if (score < lead) return `It scored ${formatScore(score)}, less than ${formatScore(lead)} of ${winner}${below}.`;
    if (score === lead) return `It scored as high as ${winner}, ${formatScore(score)}; the first of equals is taken.`;
    return `It scored ${formatScore(score)}; the search took another answer, by its rule.`;
  };
}

function byVote(paths: number, ownPaths: number, all: number, isJudged: boolean): string {
  const share = `${paths} of ${all} paths end in it`;
  if (paths < ownPaths) return `${share}, and ${ownPaths} in the chosen answer, which won the vote.`;
  if (paths === ownPaths && !isJudged) return `${share}, as many as in the chosen answer, which came first.`;
  return `${share}; weighted by score, they carry no more than those of the chosen answer.`;
}

/** Without a marked answer, paths that end in the same words agree. */
function keyOf(node: Node): string {
  return meaningOf(node) ?? `unmarked ${answerWords(node)}`;
}

/** The answer, or without a marked one the last line of the path. */
export function answerWords(node: Node): string {
  if (node.answer !== undefined) return node.answer;
  for (let at: Node | undefined = node; at?.step !== undefined; at = at.parent) {
    const line = at.step.text.trim().split('\n').at(-1) ?? '';
    if (line !== '') return line;
  }
  return 'no text kept';
}

/** Finished paths before cut ones, then by score. */
function rankOf(node: Node): number {
  return (isComplete(node) ? 2 : 0) + (shownScoreOf(node) ?? -1);
}
