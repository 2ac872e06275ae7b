// Chooses the paths of a tree that a client gets, and splits each into reasoning and answer. Reads tree and plan only.

import { meaningOf } from '@coppice/core/answer';
import { judgedLeaf, type SearchPlan } from '@coppice/core/answering';
import { isDoubtful, type SearchFold, verdictOf } from '@coppice/core/log';
import { programOf } from '@coppice/core/program';
import {
  agentTurn,
  answerPart,
  completionTokens,
  distinctAnswers,
  isPathEnd,
  lastMessage,
  type Node,
  type NodeId,
  thoughtText,
  turnIn,
  usualTags,
} from '@coppice/core/tree';
import type { TurnCall } from '../wire/result-json.ts';
import { cutAtStop, stopsOf } from './stop-cut.ts';
import { isHeldBack } from './unaccepted.ts';

/** The path of the answer after the last turn, up to the last step within the client's token limit. */
export function chosenPath(plan: SearchPlan, fold: SearchFold): Node[] {
  const answer = fold.answer;
  if (answer === undefined) return [];
  const most = plan.maxTokens ?? Number.POSITIVE_INFINITY;
  return messageAt(fold, answer.node).filter(({ pathTokens }) => pathTokens <= most);
}

/**
 * True if the path ends without text, because it was cut there or its model ended it at once. Then all of it is
 * reasoning, and its last step with a text is repeated as the answer.
 */
export function repeatsStep(plan: SearchPlan, path: readonly Node[], complete: boolean): boolean {
  if (plan.mode === 'direct' || plan.reasoning === 'inline' || hasThought(path)) return false;
  return !complete || textOf(path.at(-1)) === '';
}

/** The last step with a text, from its beginning: a step that a token limit cut continues in the next node. */
export function answerSteps(plan: Pick<SearchPlan, 'shape'>, path: readonly Node[]): readonly Node[] {
  const last = path.findLastIndex((node) => textOf(node) !== '');
  if (last < 0) return path.slice(-1);
  const isWhole = ({ step }: Node) => plan.shape !== undefined || step?.end !== 'length';
  return path.slice(path.slice(0, last).findLastIndex(isWhole) + 1, last + 1);
}

/** True if the path has thinking. That is then the reasoning, and all text after it the answer. */
export function hasThought(path: readonly Node[]): boolean {
  return path.some(({ step }) => step?.thought !== undefined);
}

/** The answer's text after that of its path: a chain can be asked for its answer in the middle of its thinking. */
export function wordsBehind({ answer }: SearchFold, path: readonly Node[]): string {
  const last = path.at(-1);
  if (last === undefined || answer?.node !== last.id || !hasThought(path)) return '';
  return answer.text.slice(path.reduce((sum, node) => sum + textOf(node).length, 0));
}

interface ToldPath {
  readonly content: string;
  readonly reasoning: string;
  readonly matchedStop?: string | undefined;
  /** Function calls, if the answer consists of some. */
  readonly calls?: readonly TurnCall[] | undefined;
}

export function splitPath(plan: SearchPlan, path: readonly Node[], complete: boolean, behind = ''): ToldPath {
  const { content, reasoning, calls } = splitCalls(plan, wholePath(plan, path, complete, behind), path, complete);
  const { text, stop } = cutAtStop(content, stopsOf(plan));
  return { content: text, reasoning, matchedStop: stop, calls };
}

/** Splits a turn into text and calls, and an answer under the schema of a call into that call. */
function splitCalls({ prompt, shape }: SearchPlan, told: ToldPath, path: readonly Node[], complete: boolean): ToldPath {
  if (agentTurn(prompt)) {
    const { content, reasoning = '', calls = [] } = turnIn(textOf(path.at(-1))) ?? {};
    return { content: content ?? '', reasoning, ...(complete && calls.length > 0 && { calls }) };
  }
  if (!shape?.isCall || !complete) return told;
  const { name, arguments: given } = JSON.parse(told.content) as { readonly name: string; readonly arguments: unknown };
  return { ...told, content: '', calls: [{ name, arguments: JSON.stringify(given) }] };
}

function wholePath(plan: SearchPlan, path: readonly Node[], complete: boolean, behind: string): ToldPath {
  const texts = path.map(textOf);
  const thought = hasThought(path);
  if (thought && (plan.mode === 'direct' || plan.reasoning === 'separate')) {
    const tags = plan.thinking ?? usualTags;
    const said = path.map(({ step }) => answerPart(step)).join('');
    const isOpen = path.at(-1)?.step?.thought?.open === true;
    const rest = isOpen ? behindTag(behind, tags.close) : behind;
    const reasoning = path.map(({ step }) => (step === undefined ? '' : thoughtText(step, tags))).join('');
    return { content: (said + rest).replace(/^\n+/, ''), reasoning };
  }
  if (plan.mode === 'direct') return { content: texts.at(-1) ?? '', reasoning: '' };
  if (plan.reasoning === 'inline') return { content: texts.join(''), reasoning: '' };
  const said = answerSteps(plan, path).map(textOf);
  const before = repeatsStep(plan, path, complete) ? texts : texts.slice(0, texts.length - said.length);
  return { content: said.join(''), reasoning: before.join('') };
}

export function furtherAnswers(plan: SearchPlan, fold: SearchFold): Node[][] {
  const { answers = 1 } = plan;
  const { tree } = fold;
  if (answers === 1 || fold.answer === undefined || tree === undefined) return [];
  const { node: chosen } = fold.answer;
  // A rollout as often as it was drawn.
  const rollouts = tree.nodes
    .filter(isPathEnd)
    .flatMap((leaf) => Array.from({ length: leaf.count - (leaf.id === chosen ? 1 : 0) }, () => leaf));
  const first = meaningOf({ answer: fold.answer.answer, group: tree.node(chosen).group });
  // `on_unaccepted` applies to each of several answers.
  const isGiven = (node: Node) => !isHeldBack(plan) || !isDoubtful(verdictOf(judgedLeaf(plan, tree, node)));
  // Answers that cannot be compared all count as different.
  const others =
    first === undefined
      ? rollouts.toSorted((a, b) => b.score - a.score)
      : distinctAnswers(tree).filter((node) => meaningOf(node) !== first);
  const given = programOf(plan.program).keepsRollouts ? rollouts : others.filter(isGiven);
  return given.slice(0, answers - 1).map(({ id }) => messageAt(fold, id));
}

function messageAt(fold: SearchFold, id: NodeId): Node[] {
  const node = fold.tree?.nodes[id];
  return node === undefined ? [] : lastMessage(node);
}

function behindTag(text: string, close: string): string {
  const at = text.indexOf(close);
  return at < 0 ? '' : text.slice(at + close.length);
}

function textOf(node: Node | undefined): string {
  return node?.step?.text ?? '';
}

export interface ChoiceTokens {
  readonly token_ids: readonly number[] | null;
  /** 0 for a composed token, which no model drew. */
  readonly token_mask: readonly number[] | null;
  /** The model's own, before temperature and cuts; 0 where the mask is 0. */
  readonly token_logprobs: readonly number[] | null;
  readonly score: number | null;
}

export function choiceTokens(leaf: Node | undefined): ChoiceTokens {
  const { ids = null, mask = null, logprobs = null } = (leaf && completionTokens(leaf)) ?? {};
  const score = leaf?.reward === undefined ? null : leaf.score;
  return { token_ids: ids, token_mask: mask, token_logprobs: logprobs, score };
}

export function promptTokenIds(leaf: Node | undefined): readonly number[] | null {
  return (leaf && completionTokens(leaf)?.promptIds) ?? null;
}
