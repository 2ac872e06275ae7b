// What a finished search says to its client, made from its plan and its log alone, so that it is the same before and
// after a restart. Token counts follow docs/http-api.md: everything that was generated is counted, once.

import { meaningOf } from '../../answer/groups.ts';
import type { SearchPlan } from '../../answering/plan/search-plan.ts';
import type { Exit, ExitKind, WriterCost } from '../../log/end.ts';
import type { SearchFold } from '../../log/fold.ts';
import { shapeOf } from '../../log/tree-shape.ts';
import { type Judged, shownScore, verdictOf, verdictText } from '../../log/verdict.ts';
import { programOf } from '../../program/registry/programs.ts';
import type { NodeId } from '../../tree/events.ts';
import { answerPart, lastMessage, type Node } from '../../tree/node.ts';
import { distinctAnswers } from '../../tree/readings/distinct-answers.ts';
import { thoughtText, usualTags } from '../../tree/thinking.ts';
import type { ClientResult, CoppiceJson, ResultFacts, ResultTexts, Usage } from '../wire/result-json.ts';
import type { AboutJson } from '../wire/search-json.ts';
import { otherRollouts } from './rollout-choices.ts';
import { isHeldBack, isUnaccepted, unacceptedText } from './unaccepted.ts';

/** Exits that end a search before its budget does. */
const saving: ReadonlySet<ExitKind> = new Set(['accepted', 'futile', 'certain', 'settled']);

export function makeResult(plan: SearchPlan, fold: SearchFold, promptTokens: number, createdMs: number): ClientResult {
  const { answer } = fold;
  const exit: Exit = fold.exit ?? { kind: 'failed', rule: 'no-exit', evidence: {} };
  const path = chosenPath(plan, fold);
  const complete = isComplete(plan, fold, path);
  const judged = judgedBy(plan, fold, path, complete);
  const texts = textsOf(plan, fold, path, complete, exit, judged);
  const outcome: ResultFacts = {
    exit,
    finish_reason: finishReason(plan, path, complete, texts),
    ...judged,
    support: answer?.support ?? null,
    complete,
    usage: usageOf(plan, fold, path, promptTokens),
    rollouts: fold.rollouts,
    nodes: fold.nodes,
    queue_ms: fold.admittedMs === undefined ? null : rounded(fold.admittedMs - createdMs),
    search_ms:
      fold.admittedMs === undefined || fold.exitedMs === undefined ? null : rounded(fold.exitedMs - fold.admittedMs),
    tokens: tokensOf(plan, fold, path, promptTokens),
    ...writersOf(fold),
    ...(fold.tree && plan.mode !== 'direct' && { shape: { ...shapeOf(fold.tree), changes: fold.changes } }),
  };
  return { texts, outcome };
}

/** The path of the answer behind the last turn, cut at the last step that fits into the client's token limit. */
export function chosenPath(plan: SearchPlan, fold: SearchFold): Node[] {
  const answer = fold.answer;
  if (answer === undefined) return [];
  const most = plan.maxTokens ?? Number.POSITIVE_INFINITY;
  return messageAt(fold, answer.node).filter(({ pathTokens }) => pathTokens <= most);
}

/** A generation without search may also be ended by a stop string of the client. */
function isComplete(plan: SearchPlan, fold: SearchFold, path: readonly Node[]): boolean {
  const last = path.at(-1);
  if (plan.mode === 'direct') return last?.step !== undefined && last.step.end !== 'length';
  return fold.answer?.complete === true && last?.id === fold.answer.node;
}

/** Given as `on_unaccepted` says; an error in its place is made where the client is told. */
function textsOf(
  plan: SearchPlan,
  fold: SearchFold,
  path: readonly Node[],
  complete: boolean,
  exit: Exit,
  { verdict, score }: Pick<ResultFacts, 'verdict' | 'score'>,
): ResultTexts {
  if (plan.onUnaccepted === 'refuse' && isUnaccepted(plan, exit.kind, verdict)) {
    const refusal = unacceptedText(verdict, score, plan.threshold, fold.rollouts);
    return { content: null, reasoning_content: null, refusal, answer: null };
  }
  const answer = complete ? (fold.answer?.answer ?? null) : null;
  const { content, reasoning } = splitPath(plan, path, complete, wordsBehind(fold, path));
  return { content, reasoning_content: reasoning === '' ? null : reasoning, refusal: null, answer };
}

/** A generation without search is an answer as it is; what was cut off is none. */
function judgedBy(
  { mode, scoring, threshold }: SearchPlan,
  { answer }: SearchFold,
  path: readonly Node[],
  complete: boolean,
): Pick<ResultFacts, 'verdict' | 'verdict_text' | 'score'> {
  const given = path.length === 0 ? undefined : answer;
  const judged: Judged = {
    // A generation without search was asked for no mark.
    answer: given && {
      ...given,
      answer: mode === 'direct' ? given.text : given.answer,
      complete: mode === 'direct' || complete,
    },
    scoring,
    threshold,
  };
  const score = shownScore({ ...judged, answer }) ?? null;
  return { verdict: verdictOf(judged), verdict_text: verdictText(judged), score };
}

/**
 * Where the end of a path brings no text, because it was cut there or its model or a stop string ended it at once: all of it is reasoning,
 * and its last step with a text stands for the answer.
 */
export function repeatsStep(plan: SearchPlan, path: readonly Node[], complete: boolean): boolean {
  if (plan.mode === 'direct' || plan.reasoning === 'inline' || hasThought(path)) return false;
  return !complete || textOf(path.at(-1)) === '';
}

/** The step that is given as the answer. */
export function answerStep(path: readonly Node[]): Node | undefined {
  return path.findLast((node) => textOf(node) !== '') ?? path.at(-1);
}

/** The model has thought on the way: then that is the reasoning, and all behind it the answer. */
export function hasThought(path: readonly Node[]): boolean {
  return path.some(({ step }) => step?.thought !== undefined);
}

/** What an answer says behind the text of its path: a chain that was asked for it in the middle of its thinking. */
function wordsBehind({ answer }: SearchFold, path: readonly Node[]): string {
  const last = path.at(-1);
  if (last === undefined || answer?.node !== last.id || !hasThought(path)) return '';
  return answer.text.slice(path.reduce((sum, node) => sum + textOf(node).length, 0));
}

/** `behind`: words of the answer that are no step of the path. */
export function splitPath(
  plan: SearchPlan,
  path: readonly Node[],
  complete: boolean,
  behind = '',
): { content: string; reasoning: string } {
  const texts = path.map(textOf);
  const thought = hasThought(path);
  if (thought && (plan.mode === 'direct' || plan.reasoning === 'separate')) {
    const tags = plan.thinking ?? usualTags;
    const said = path.map(({ step }) => answerPart(step)).join('');
    const isOpen = path.at(-1)?.step?.thought?.open === true;
    const rest = isOpen ? behindTag(behind, tags.close) : behind;
    const content = (plan.mode === 'direct' ? stripStop(plan, path.at(-1), said) : said) + rest;
    const reasoning = path.map(({ step }) => (step === undefined ? '' : thoughtText(step, tags))).join('');
    return { content: content.replace(/^\n+/, ''), reasoning };
  }
  if (plan.mode === 'direct') return { content: stripStop(plan, path.at(-1), texts.at(-1) ?? ''), reasoning: '' };
  if (plan.reasoning === 'inline') return { content: texts.join(''), reasoning: '' };
  const before = repeatsStep(plan, path, complete) ? texts : texts.slice(0, -1);
  return { content: textOf(answerStep(path)), reasoning: before.join('') };
}

/** The paths of the next best different answers of a search that was asked for several: fewer than asked for where there are no more. */
export function furtherAnswers(plan: SearchPlan, fold: SearchFold): Node[][] {
  const { answers = 1 } = plan;
  if (answers === 1 || fold.answer === undefined || fold.tree === undefined) return [];
  if (programOf(plan.program).keepsRollouts)
    return otherRollouts(fold.tree.nodes, fold.answer.node)
      .slice(0, answers - 1)
      .map(({ id }) => messageAt(fold, id));
  const first = meaningOf({ answer: fold.answer.answer, group: fold.tree.node(fold.answer.node).group });
  if (first === undefined) return [];
  // Where only accepted answers are given, that holds for each of several.
  const isGiven = ({ score = 0 }: Node) => !isHeldBack(plan) || plan.scoring !== 'verifier' || score >= plan.threshold;
  const others = distinctAnswers(fold.tree).filter((node) => meaningOf(node) !== first && isGiven(node));
  return others.slice(0, answers - 1).map(({ id }) => messageAt(fold, id));
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

/** OpenAI's answers do not include the stop string that ended them. */
function stripStop(plan: SearchPlan, node: Node | undefined, text: string): string {
  if (node?.step?.end !== 'delimiter') return text;
  const stop = plan.delimiters.find((each) => text.endsWith(each));
  return stop === undefined ? text : text.slice(0, -stop.length);
}

function finishReason(
  plan: SearchPlan,
  path: readonly Node[],
  complete: boolean,
  texts: ResultTexts,
): 'stop' | 'length' {
  const end = path.at(-1)?.step?.end;
  if (texts.refusal !== null || end === undefined) return 'stop'; // nothing was cut where nothing is said
  if (plan.mode === 'direct') return end === 'eos' || end === 'delimiter' ? 'stop' : 'length';
  return complete && end !== 'length' ? 'stop' : 'length';
}

function usageOf(plan: SearchPlan, fold: SearchFold, path: readonly Node[], promptTokens: number): Usage {
  const generated = generatedTokens(fold);
  // Of the client's prompt, what this search never had to compute: siblings that find it again do not count.
  const cached = Math.max(0, promptTokens - (fold.cost?.promptTokens ?? 0));
  return {
    prompt_tokens: promptTokens,
    completion_tokens: generated,
    total_tokens: promptTokens + generated,
    prompt_tokens_details: { cached_tokens: cached },
    completion_tokens_details: { reasoning_tokens: Math.max(0, generated - answerTokens(plan, path)) },
  };
}

/** Committed tokens are those of the log, so that what was made before a crash still counts. */
function generatedTokens(fold: SearchFold): number {
  return fold.tokens + (fold.cost?.discardedTokens ?? 0) + fold.ghostTokens;
}

function answerTokens(plan: SearchPlan, path: readonly Node[]): number {
  const { pathTokens = 0, thoughtTokens = 0 } = path.at(-1) ?? {};
  if (plan.reasoning === 'separate' && hasThought(path)) return pathTokens - thoughtTokens;
  return plan.reasoning === 'inline' ? (path.at(-1)?.pathTokens ?? 0) : (path.at(-1)?.step?.tokens ?? 0);
}

function tokensOf(
  plan: SearchPlan,
  fold: SearchFold,
  path: readonly Node[],
  promptTokens: number,
): Readonly<Record<string, number>> {
  const cost = fold.cost;
  const generated = generatedTokens(fold);
  return {
    generated,
    thrown_away: generated - fold.tokens,
    committed: fold.tokens,
    discarded: cost?.discardedTokens ?? 0,
    speculative: fold.ghostTokens,
    adopted: cost?.adoptedTokens ?? 0,
    forsaken: cost?.forsakenTokens ?? 0,
    path: path.at(-1)?.pathTokens ?? 0,
    answer: answerTokens(plan, path),
    prompt: promptTokens,
    computed: cost?.promptTokens ?? 0,
    cached: cost?.cachedTokens ?? 0,
    decoded: cost?.decodedTokens ?? 0,
    verifier: cost?.verifierTokens ?? 0,
    verifier_cached: cost?.verifierCachedTokens ?? 0,
    embedder: cost?.embedderTokens ?? 0,
    saved_estimate: savedEstimate(plan, fold),
  };
}

const nothingWritten: WriterCost = { calls: 0, promptTokens: 0, cachedTokens: 0, generatedTokens: 0 };

/** Who wrote what, since the process that ended the search took it up, and who was absent. */
function writersOf({ cost, tree }: SearchFold): Pick<ResultFacts, 'models' | 'money'> {
  if (cost?.models === undefined) return {};
  const absent = new Map(tree?.absences.all.map(({ model, code }) => [model, code]));
  const names = new Set([...Object.keys(cost.models), ...absent.keys()]);
  const models = Array.from(names, (name) => {
    const { calls, promptTokens, cachedTokens, generatedTokens, money } = cost.models?.[name] ?? nothingWritten;
    const read = { prompt_tokens: promptTokens, cached_tokens: cachedTokens, generated_tokens: generatedTokens };
    const code = absent.get(name);
    const rest = { ...(money === undefined ? {} : { money }), ...(code === undefined ? {} : { absent: code }) };
    return [name, { calls, ...read, ...rest }] as const;
  });
  return { models: Object.fromEntries(models), ...(cost.money === undefined ? {} : { money: cost.money }) };
}

/**
 * Rollouts that an exit made unnecessary, within the token budget. One more rollout shares its beginning with those that were made, so it
 * counts as one path of the mean length, and never as more than the rollouts that were made have cost.
 */
function savedEstimate(plan: SearchPlan, fold: SearchFold): number {
  const kind = fold.exit?.kind;
  if (kind === undefined || !saving.has(kind)) return 0;
  const made = Math.max(1, fold.rollouts);
  const left = Math.max(0, plan.rollouts - made);
  const generated = generatedTokens(fold);
  const each = Math.min(generated / made, meanPathTokens(fold));
  return Math.round(Math.min(left * each, Math.max(0, plan.tokenBudget - generated)));
}

/** Of the finished paths; 0 before the first. */
function meanPathTokens({ tree }: SearchFold): number {
  const finished = (tree?.nodes ?? []).filter(({ terminal }) => terminal);
  return finished.reduce((sum, { pathTokens }) => sum + pathTokens, 0) / Math.max(1, finished.length);
}

function rounded(ms: number): number {
  return Math.round(Math.max(0, ms) * 10) / 10;
}

/** The `coppice` object of an answer. */
export function describeForClient(
  id: string,
  plan: Pick<AboutJson, 'mode' | 'program' | 'policy' | 'policy_note' | 'calibrated' | 'scoring'> & {
    readonly weights?: string | undefined;
  },
  texts: ResultTexts,
  outcome: ResultFacts,
  escalatedFrom: string | null,
): CoppiceJson {
  const { exit, verdict, verdict_text, score, support, complete, rollouts, nodes, queue_ms, search_ms, tokens } =
    outcome;
  const { program, policy, policy_note, calibrated = [], scoring } = plan;
  const note = {
    ...(policy_note === undefined ? {} : { policy_note }),
    ...(plan.weights === undefined ? {} : { weights: plan.weights }),
  };
  const how =
    plan.mode === 'direct' ? ({ passed_through: true } as const) : { scoring, program, policy, ...note, calibrated };
  const { models, money } = outcome;
  const written = { ...(models && { models }), ...(money === undefined ? {} : { money }) };
  const effort = { rollouts, nodes, queue_ms, search_ms, tokens, ...written };
  return {
    search: id,
    exit,
    verdict,
    verdict_text,
    answer: texts.answer,
    score,
    support,
    complete,
    ...how,
    escalated_from: escalatedFrom,
    ...effort,
  };
}
