// What a finished search says to its client, made from its plan and its log alone, so that it is the same before and
// after a restart. Token counts follow docs/http-api.md: everything that was generated is counted, once.

import type { Exit, ExitKind } from '../../log/end.ts';
import type { SearchPlan } from '../plan/plan.ts';
import type { ClientResult, ResultFacts, ResultTexts, Usage } from '../wire/result-json.ts';
import type { AboutJson, CoppiceJson } from '../wire/search-json.ts';
import type { MirrorNode, SearchMirror } from './search-mirror.ts';

/** Exits that end a search before its budget does. */
const saving: ReadonlySet<ExitKind> = new Set(['accepted', 'futile', 'certain', 'settled']);

export function makeResult(
  plan: SearchPlan,
  mirror: SearchMirror,
  promptTokens: number,
  createdMs: number,
): ClientResult {
  const exited = mirror.exited;
  const exit = exited?.exit ?? { kind: 'failed', rule: 'no-exit', evidence: {} };
  const path = chosenPath(plan, mirror);
  const complete = isComplete(mirror, path);
  const texts = textsOf(plan, mirror, path, complete, exit);
  const outcome: ResultFacts = {
    exit,
    finish_reason: finishReason(plan, path, complete, texts),
    score: exited?.answer?.score ?? null,
    support: exited?.answer?.support ?? null,
    complete,
    usage: usageOf(plan, mirror, path, promptTokens),
    rollouts: mirror.rollouts,
    nodes: mirror.nodes.length,
    queue_ms: mirror.admittedMs === undefined ? null : rounded(mirror.admittedMs - createdMs),
    search_ms:
      mirror.admittedMs === undefined || mirror.exitedMs === undefined
        ? null
        : rounded(mirror.exitedMs - mirror.admittedMs),
    tokens: tokensOf(plan, mirror, path, promptTokens),
  };
  return { texts, outcome };
}

/** The path of the answer, cut at the last step that fits into the client's token limit. */
export function chosenPath(plan: SearchPlan, mirror: SearchMirror): MirrorNode[] {
  const answer = mirror.exited?.answer;
  if (answer === undefined) return [];
  const most = plan.maxTokens ?? Number.POSITIVE_INFINITY;
  return mirror.pathTo(answer.node).filter(({ pathTokens }) => pathTokens <= most);
}

function isComplete(mirror: SearchMirror, path: readonly MirrorNode[]): boolean {
  const answer = mirror.exited?.answer;
  return answer?.complete === true && path.at(-1)?.id === answer.node;
}

function refusalText(mirror: SearchMirror): string {
  const best =
    mirror.bestScore === undefined ? 'no path was completed' : `the best score was ${mirror.bestScore.toPrecision(3)}`;
  return `This question is unlikely to be solved with the budget it was given: ${best} after ${mirror.rollouts} rollouts.`;
}

function textsOf(
  plan: SearchPlan,
  mirror: SearchMirror,
  path: readonly MirrorNode[],
  complete: boolean,
  exit: Exit,
): ResultTexts {
  if (exit.kind === 'futile' && plan.onFutile === 'refuse') {
    return { content: null, reasoning_content: null, refusal: refusalText(mirror), answer: null };
  }
  const answer = complete ? (mirror.exited?.answer?.answer ?? null) : null;
  const { content, reasoning } = splitPath(plan, path, complete);
  return { content, reasoning_content: reasoning === '' ? null : reasoning, refusal: null, answer };
}

/** A path that was not completed is all reasoning, and its last step stands for the answer. */
export function splitPath(
  plan: SearchPlan,
  path: readonly MirrorNode[],
  complete: boolean,
): { content: string; reasoning: string } {
  const texts = path.map(({ text }) => text);
  const last = stripStop(plan, path.at(-1), texts.at(-1) ?? '');
  if (plan.mode === 'direct') return { content: last, reasoning: '' };
  if (plan.reasoning === 'inline') return { content: texts.join(''), reasoning: '' };
  return { content: last, reasoning: (complete ? texts.slice(0, -1) : texts).join('') };
}

/** OpenAI's answers do not include the stop string that ended them. */
function stripStop(plan: SearchPlan, node: MirrorNode | undefined, text: string): string {
  if (plan.mode !== 'direct' || node?.end !== 'delimiter') return text;
  const stop = plan.delimiters.find((each) => text.endsWith(each));
  return stop === undefined ? text : text.slice(0, -stop.length);
}

function finishReason(
  plan: SearchPlan,
  path: readonly MirrorNode[],
  complete: boolean,
  texts: ResultTexts,
): 'stop' | 'length' {
  if (texts.refusal !== null) return 'stop';
  const end = path.at(-1)?.end;
  if (plan.mode === 'direct') return end === 'eos' || end === 'delimiter' ? 'stop' : 'length';
  return complete && end !== 'length' ? 'stop' : 'length';
}

function usageOf(plan: SearchPlan, mirror: SearchMirror, path: readonly MirrorNode[], promptTokens: number): Usage {
  const generated = generatedTokens(mirror);
  // Of the client's prompt, what this search never had to compute: siblings that find it again do not count.
  const cached = Math.max(0, promptTokens - (mirror.exited?.cost.promptTokens ?? 0));
  return {
    prompt_tokens: promptTokens,
    completion_tokens: generated,
    total_tokens: promptTokens + generated,
    prompt_tokens_details: { cached_tokens: cached },
    completion_tokens_details: { reasoning_tokens: Math.max(0, generated - answerTokens(plan, path)) },
  };
}

/** Committed tokens are those of the log, so that what was made before a crash still counts. */
function generatedTokens(mirror: SearchMirror): number {
  return mirror.tokens + (mirror.exited?.cost.discardedTokens ?? 0) + mirror.ghostTokens;
}

function answerTokens(plan: SearchPlan, path: readonly MirrorNode[]): number {
  return plan.reasoning === 'inline' ? (path.at(-1)?.pathTokens ?? 0) : (path.at(-1)?.tokens ?? 0);
}

function tokensOf(
  plan: SearchPlan,
  mirror: SearchMirror,
  path: readonly MirrorNode[],
  promptTokens: number,
): Readonly<Record<string, number>> {
  const cost = mirror.exited?.cost;
  return {
    committed: mirror.tokens,
    discarded: cost?.discardedTokens ?? 0,
    speculative: mirror.ghostTokens,
    path: path.at(-1)?.pathTokens ?? 0,
    answer: answerTokens(plan, path),
    prompt: promptTokens,
    computed: cost?.promptTokens ?? 0,
    cached: cost?.cachedTokens ?? 0,
    verifier: cost?.verifierTokens ?? 0,
    verifier_cached: cost?.verifierCachedTokens ?? 0,
    saved_estimate: savedEstimate(plan, mirror),
  };
}

/** Rollouts that an exit made unnecessary, at the mean cost of those that were made, within the token budget. */
function savedEstimate(plan: SearchPlan, mirror: SearchMirror): number {
  const kind = mirror.exited?.exit.kind;
  if (kind === undefined || !saving.has(kind)) return 0;
  // A rollout whose path is accepted ends with the search, before it counts as completed.
  const made = Math.max(1, mirror.rollouts);
  const left = Math.max(0, plan.rollouts - made);
  const generated = generatedTokens(mirror);
  return Math.round(Math.min((left * generated) / made, Math.max(0, plan.tokenBudget - generated)));
}

function rounded(ms: number): number {
  return Math.round(Math.max(0, ms) * 10) / 10;
}

/** The `coppice` object of an answer. */
export function describeForClient(
  id: string,
  plan: Pick<AboutJson, 'mode' | 'program' | 'policy' | 'scoring'>,
  texts: ResultTexts,
  outcome: ResultFacts,
  escalatedFrom: string | null,
): CoppiceJson {
  const { exit, score, support, complete, rollouts, nodes, queue_ms, search_ms, tokens } = outcome;
  const { program, policy, scoring } = plan;
  const how = plan.mode === 'direct' ? ({ passed_through: true } as const) : { scoring, program, policy };
  const effort = { rollouts, nodes, queue_ms, search_ms, tokens };
  return {
    search: id,
    exit,
    answer: texts.answer,
    score,
    support,
    complete,
    ...how,
    escalated_from: escalatedFrom,
    ...effort,
  };
}
