// Requests to an engine: no more of a step than is read, and the path below which it is drawn. A probe is a path with a piece of text
// more at its end, so that every engine can do it.

import {
  type GenerateRequest,
  type PathStep,
  readableStep,
  type StepNeeds,
  type ThinkingMarks,
} from '../../engine/engine.ts';
import type { Expansion } from '../../program/program.ts';
import { drawSeed, type NodeKey, nodeKey, rootKey, turnKey } from '../../tree/keys.ts';
import { type Node, pathTo } from '../../tree/node.ts';
import { agentTurn } from '../../tree/readings/agent-turn.ts';
import { coldest, type Manner, type Prompt, type Step } from '../../tree/step.ts';
import type { Verifier } from '../../verifier/verifier.ts';
import type { AnswerShape, SearchRequest, ThinkingPlan } from '../search/request.ts';
import type { Flight, Search } from '../search/search.ts';
import { longestStep } from './replies.ts';
import { goesOnThinking, isInside, openingBelow } from './thinking-steps.ts';
import { wordsOf } from './words.ts';

export function stepNeeds(request: SearchRequest, verifier: Verifier | undefined, watched: boolean): StepNeeds {
  const { program, repeatable = true, logprobs: byClient = false, recordTokens: record = false } = request;
  // Nothing reads a turn before it is whole.
  if (agentTurn(request.prompt)) return { logprobs: false, tokens: false, seed: repeatable };
  const logprobs = program.reads?.includes('logprobs') || readsEachLogprob(request, verifier);
  const more = {
    ...(byClient ? { pieces: true } : {}),
    ...(record ? { record } : {}),
  };
  return { logprobs, tokens: watched, seed: repeatable, ...more };
}

/** Programs decide by the mean of a step; only these readers need every token. */
export function readsEachLogprob(request: SearchRequest, verifier: Verifier | undefined): boolean {
  const { program, rules, logprobs: byClient = false, recordTokens: record = false } = request;
  if (byClient || record) return true;
  const isReader = (rule: { readonly readsLogprobs?: boolean }) => rule.readsLogprobs === true;
  if (program.needsVerifier && verifier?.capabilities.readsLogprobs === true) return true;
  return rules.exits.some(isReader) || rules.prunes.some(isReader);
}

/** The list is most of a step: without a reader it is neither kept nor journalled. */
export function withoutLogprobs(step: Step): Step {
  if (step.logprobs === undefined) return step;
  const { logprobs: _, ...rest } = step;
  return rest;
}

export function stepPath(node: Node): PathStep[] {
  return pathTo(node).map(({ key, step }) => ({ key, step: step! }));
}

/** Token ids of another model are other words to the verifier. */
export function scoredStep({ model }: Pick<SearchRequest, 'model'>, step: Step): Step {
  return readableStep(step, model);
}

export function shapeBelow(request: SearchRequest, node: Node): AnswerShape | undefined {
  const { shape } = request;
  const { step, depth, thoughtSteps } = node;
  if (shape === undefined || isInside(request, node)) return undefined;
  return step?.unshaped === true || depth - thoughtSteps + 1 >= shape.maxDepth ? shape : undefined;
}

/** Without the end token, behind which no model goes on. */
function openPath(node: Node): PathStep[] {
  const path = stepPath(node);
  if (node.step?.unshaped === undefined) return path;
  const { tokenIds: _, ...rest } = node.step;
  const step: Step = { ...rest, end: 'length' };
  return path.with(-1, { key: nodeKey(node.parent!.key, step), step });
}

/** The path with replies to probes behind it: a probe goes on from it and is scored below it. */
export function pathAfter(node: Node, after: readonly number[] = []): PathStep[] {
  const path = openPath(node);
  for (const index of after) {
    const { text = '', tokens = 0 } = node.probes?.get(index) ?? {};
    const step: Step = { text, tokens, meanLogprob: 0, end: 'delimiter' };
    path.push({ key: nodeKey(path.at(-1)?.key ?? node.key, step), step });
  }
  return path;
}

/** About four characters a token; read only by engines that count without a tokenizer. */
function tokensOf(text: string): number {
  return Math.ceil(text.length / 4);
}

function turnPiece(parent: NodeKey, turn: string): PathStep {
  return {
    key: turnKey(parent, turn),
    step: { text: '', turn, tokens: tokensOf(turn), meanLogprob: 0, end: 'length' },
  };
}

/** A turn becomes a piece of its own before the step that replies to it. */
function withTurns(path: readonly PathStep[]): PathStep[] {
  if (path.every(({ step }) => step.turn === undefined)) return [...path];
  return path.flatMap(({ key, step: { turn, ...step } }, at) => {
    return turn === undefined ? [{ key, step }] : [turnPiece(path[at - 1]?.key ?? rootKey, turn), { key, step }];
  });
}

/** `shaped`: said before an answer in a shape, whatever the manner. */
export function pathFor(
  search: Pick<Search, 'tree' | 'request'>,
  node: Node,
  manner: Manner | undefined,
  shaped?: string,
  isProbe = false,
): PathStep[] {
  const words = shaped ?? (manner && wordsOf(search.tree, node, manner));
  const opening = shaped === undefined && !isProbe ? openingBelow(search.request, node, manner) : undefined;
  const suffix = (words ?? '') + (opening ?? '');
  const path = withTurns(words === undefined ? stepPath(node) : pathAfter(node, manner?.after));
  const parent = path.at(-1)?.key ?? node.key;
  if (words !== undefined && shaped === undefined && manner?.byUser) return [...path, turnPiece(parent, suffix)];
  if (suffix === '') return path;
  const step: Step = { text: suffix, tokens: tokensOf(suffix), meanLogprob: 0, end: 'length' };
  return [...path, { key: nodeKey(parent, step), step }];
}

export function generateRequest(flight: Flight, { sampling }: Expansion): Omit<GenerateRequest, 'priority'> {
  const { id, search, node, index, form, path, lane, isProbe, shape, manner = {} } = flight;
  const { program, seed, delimiters, thinking } = search.request;
  const thinks = thinking !== undefined && !isProbe && goesOnThinking(search.request, node, manner);
  return {
    id,
    search: search.id,
    ...(search.request.session && { session: search.request.session }),
    prompt: promptFor(search.request, manner.model),
    parent: path.at(-1)?.key ?? node.key,
    path,
    index,
    sampling: isGreedy(flight) ? coldest(sampling) : sampling,
    seed: drawSeed(seed, node.key, index, form),
    delimiters: shape ? [] : (manner.stops ?? (thinks ? [...thinking.delimiters, thinking.close] : delimiters)),
    maxTokens: Math.min(
      longestStep(flight),
      isProbe ? unlimited : (program.paths?.maxPathTokens ?? unlimited) - (manner.byUser ? 0 : node.pathTokens),
    ),
    ...(thinking === undefined || isProbe ? {} : { thinking: wholeThought(flight, thinking) }),
    ...(shape === undefined ? {} : { shape: shape.schema }),
    ...(manner.model === undefined ? {} : { model: manner.model }),
    ...(flight.wholeTokens === undefined ? {} : { whole: true }),
    lane,
  };
}

function wholeThought({ search, node, manner }: Flight, { open, close, maxTokens }: ThinkingPlan): ThinkingMarks {
  const { program, stepTokens, shape } = search.request;
  const answerTokens = shape?.maxTokens ?? Math.max(stepTokens, leastAnswer);
  const left = (program.paths?.maxPathTokens ?? unlimited) - (manner?.byUser ? 0 : node.pathTokens);
  return { open, close, wholeTokens: Math.min(maxTokens + answerTokens, left) };
}

/** Tokens of an answer that comes in one piece with its thinking. */
const leastAnswer = 4096;

function promptFor({ prompt, writers }: SearchRequest, model: string | undefined): Prompt {
  return (model === undefined ? undefined : writers?.[model]?.prompt) ?? prompt;
}

/** The first path of a search at temperature 0 takes the likeliest token at every step. */
function isGreedy({ search, node, index, isProbe }: Flight): boolean {
  return search.request.firstGreedy === true && !isProbe && index === 0 && isFirst(node);
}

function isFirst({ parent, index }: Node): boolean {
  return parent === undefined || (index === 0 && isFirst(parent));
}

const unlimited = Number.POSITIVE_INFINITY;
