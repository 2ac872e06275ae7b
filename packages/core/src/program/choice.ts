// Chooses the answer of a tree, at any time: that of the completed path with the highest score, or the one that the completed
// paths together speak for. Before a path is completed, the best beginning of one.

import { confidenceOf } from '../answer/confidence.ts';
import { lastLine } from '../answer/extract.ts';
import { groupAnswers, meaningOf } from '../answer/groups.ts';
import { mean, type OddsLine } from '../base/arithmetic.ts';
import type { Answer } from '../log/end.ts';
import type { NodeId } from '../tree/events.ts';
import { byKey } from '../tree/keys.ts';
import { answerPart, hasEnded, isComplete, type Node, pathText } from '../tree/node.ts';
import { scoreOf } from '../tree/readings/branching.ts';
import { distinctAnswers } from '../tree/readings/distinct-answers.ts';
import type { Tree } from '../tree/tree.ts';

export const choices = ['best', 'vote', 'majority'] as const;
/** `vote`: a path speaks for its answer with its score times the share of samples that took it; `majority`: with that share alone. */
export type Choice = (typeof choices)[number];

export function chosenAnswer(tree: Tree, choice: Choice): Answer | undefined {
  return choice === 'best' ? bestAnswer(tree) : votedAnswer(tree, choice === 'majority' ? plainly : byScore);
}

export function bestAnswer(tree: Tree): Answer | undefined {
  const node = tree.best ?? bestBeginning(tree);
  return node && described(node);
}

/**
 * With how likely it is right: by the share of plain votes behind it and, where a verifier judges, the mean score of the paths that say the
 * same; `labelled`: by labels of the operator's. Unchanged where nothing marks the answer: it cannot be compared.
 */
export function weighedAnswer<Found extends Pick<Answer, 'node' | 'answer'>>(
  tree: Tree,
  found: Found,
  isJudged: boolean,
  labelled?: OddsLine,
): Found & Pick<Answer, 'samples' | 'confidence'> {
  const { votes, own } = plainVotes(tree, found.node);
  if (own === undefined || found.answer === undefined) return found;
  const share = own.weight / weightIn(votes);
  const samples = votes.reduce((sum, { node }) => sum + node.count, 0);
  const isRead = isJudged && tree.aggregation !== 'sum';
  const scores = isRead ? own.votes.flatMap(({ node }) => scoreAt(node) ?? []) : [];
  const score = scores.length === 0 ? undefined : mean(scores);
  // Rounded, since sums differ in their last digits by who was faster.
  return { ...found, samples, confidence: Math.round(1e4 * confidenceOf({ share, samples, score }, labelled)) / 1e4 };
}

/** Score of an answer: from the rewards of its steps, or from the judge that has read it whole. */
function scoreAt(node: Node): number | undefined {
  return node.reward === undefined ? scoreOf(node) : node.score;
}

/** The answer that a rule was certain of, with the share of plain votes behind it. */
export function certainAnswer(tree: Tree, node: NodeId): Answer {
  const named = described(tree.node(node));
  const { own, votes } = plainVotes(tree, node);
  if (own === undefined) return named;
  return { ...named, support: own.weight / weightIn(votes.filter((vote) => meaningOf(vote) !== undefined)) };
}

/** Each sample has one vote; a node votes once for each of its draws. */
function plainVotes(tree: Tree, id: NodeId) {
  const votes = votesOf(tree, plainly);
  return { votes, own: groupAnswers(votes).find((group) => group.votes.some(({ node }) => node.id === id)) };
}

function weightIn(votes: readonly { readonly weight: number }[]): number {
  return votes.reduce((sum, { weight }) => sum + weight, 0);
}

/** The answer with the most weight behind it, by its best path; of equal weights the better path decides. */
function votedAnswer(tree: Tree, weight: Weight): Answer | undefined {
  const groups = groupAnswers(votesOf(tree, weight));
  const [first] = groups;
  if (first === undefined) return bestAnswer(tree);
  const leaders = groups.filter(({ weight }) => first.weight - weight < rounding);
  const candidates = leaders.flatMap(({ votes }) => votes.map(({ node }) => node));
  const weights = weightIn(groups);
  const support = weights === 0 ? 0 : first.weight / weights;
  return { ...described(candidates.reduce((best, node) => (isBetter(node, best) ? node : best))), support };
}

/** Shares are sums of fractions: weights that differ by less are equal. */
const rounding = 1e-12;

type Weight = (node: Node) => number;

const plainly: Weight = () => 1;
const byScore: Weight = ({ reward, score }) => (reward === undefined ? 1 : score);

function votesOf(tree: Tree, weight: Weight) {
  const shares = sharesOf(tree);
  return tree.nodes.flatMap((node) => {
    const { id, group } = node;
    if (!hasEnded(node)) return [];
    return [{ answer: votedWords(node), group, weight: shares[id]! * weight(node), node }];
  });
}

/** The vote of a path's end: its answer, or the words it ends in. */
export function votedWords(node: Node): string | undefined {
  return node.answer ?? unmarkedAnswer(node);
}

/** Nothing marks it, so it is not shown as the answer; but paths that end in the same words agree. */
function unmarkedAnswer(node: Node): string | undefined {
  if (!isComplete(node)) return undefined;
  let at: Node | undefined = node;
  while (at?.step !== undefined && answerPart(at.step).trim() === '') at = at.parent;
  return lastLine(answerPart(at?.step));
}

/**
 * Estimates how often the model itself would come to each node: at every parent, the samples that a child stands for
 * out of those of all its siblings. For independent samples it is the share of samples; in a tree that looks at rare branches
 * as closely as at common ones, it keeps the rare ones from counting as much.
 */
function sharesOf(tree: Tree): Float64Array {
  const shares = new Float64Array(tree.nodes.length);
  shares[0] = 1;
  for (const { id, children } of tree.nodes) {
    const samples = children.reduce((sum, { count }) => sum + count, 0);
    for (const child of children) shares[child.id] = (shares[id]! * child.count) / samples;
  }
  return shares;
}

function isBetter(node: Node, other: Node): boolean {
  const lead = node.score - other.score || meanLogprobOf(node) - meanLogprobOf(other);
  return lead > 0 || (lead === 0 && node.key < other.key);
}

/** Mean over the tokens of the path. */
function meanLogprobOf(node: Node): number {
  let sum = 0;
  for (let at: Node | undefined = node; at?.step !== undefined; at = at.parent)
    sum += at.step.meanLogprob * at.step.tokens;
  return node.pathTokens === 0 ? 0 : sum / node.pathTokens;
}

/** Prefers answers that can be read off a text: where the chosen path says none, the best that says one. */
export function saidAnswer(tree: Tree, chosen: Answer | undefined): Answer | undefined {
  if (chosen?.complete !== true || chosen.answer !== undefined) return chosen;
  const [best] = distinctAnswers(tree);
  return best === undefined ? { ...chosen, unsaid: true } : described(best);
}

export function described(node: Node): Answer {
  const { id, answer, reward } = node;
  // Without rewards a path's score is that of the root, and says nothing.
  const score = reward === undefined ? undefined : node.score;
  return { node: id, text: pathText(node), answer, score, complete: isComplete(node) };
}

/** The leaf with the highest score; of equals the deepest, then the one with the lowest key. */
function bestBeginning(tree: Tree): Node | undefined {
  const leaves = tree.nodes.filter(({ depth, children }) => depth > 0 && children.length === 0);
  return leaves.sort((a, b) => b.score - a.score || b.depth - a.depth || byKey(a, b))[0];
}
