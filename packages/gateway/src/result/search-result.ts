// Makes the result of a finished search from its plan and its log alone: the same before and after a restart.

import { judgedLeaf, type SearchPlan } from '@coppice/core/answering';
import { type Exit, type Judged, type SearchFold, shownScore, verdictOf, verdictText } from '@coppice/core/log';
import { agentTurn, type Node, type Tree } from '@coppice/core/tree';
import type { ClientResult, CoppiceJson, ResultFacts, ResultTexts } from '../wire/result-json.ts';
import type { AboutJson } from '../wire/search-json.ts';
import { chosenPath, furtherAnswers, splitPath, wordsBehind } from './chosen-path.ts';
import { votesIn } from './progress.ts';
import { tokensOf, usageOf, writersOf } from './result-tokens.ts';
import { isUnaccepted, unacceptedText } from './unaccepted.ts';

export function makeResult(plan: SearchPlan, fold: SearchFold, promptTokens: number, createdMs: number): ClientResult {
  const { answer } = fold;
  const exit: Exit = fold.exit ?? { kind: 'failed', rule: 'no-exit', evidence: {} };
  const path = chosenPath(plan, fold);
  const complete = isComplete(plan, fold, path);
  const judged = judgedBy(plan, fold, path, complete);
  const told = splitPath(plan, path, complete, wordsBehind(fold, path));
  const texts = textsOf(plan, fold, told, complete, exit, judged);
  const isCut = told.matchedStop !== undefined && texts.refusal === null;
  const choices = choicesOf(plan, fold, judged);
  const outcome: ResultFacts = {
    exit,
    finish_reason: isCut ? 'stop' : finishReason(plan, path, complete, texts),
    ...(isCut ? { matchedStop: told.matchedStop } : {}),
    ...judged,
    verdict_text: judged.verdict_text + (isCut ? unseen(texts) : ''),
    ...(choices === undefined ? {} : { choices }),
    support: answer?.support ?? null,
    complete,
    usage: usageOf(plan, fold, path, promptTokens),
    rollouts: fold.rollouts,
    nodes: fold.nodes,
    queue_ms: fold.admittedMs === undefined ? null : roundToTenths(fold.admittedMs - createdMs),
    search_ms:
      fold.admittedMs === undefined || fold.exitedMs === undefined
        ? null
        : roundToTenths(fold.exitedMs - fold.admittedMs),
    tokens: tokensOf(plan, fold, path, promptTokens),
    ...writersOf(fold),
    ...(fold.audit && { audit: fold.audit }),
  };
  return { texts, outcome };
}

function unseen({ answer, content }: ResultTexts): string {
  return answer === null || content?.includes(answer) ? '' : '; a stop string ended its text before the answer';
}

function isComplete(plan: SearchPlan, fold: SearchFold, path: readonly Node[]): boolean {
  const last = path.at(-1);
  if (plan.mode === 'direct') return last?.step !== undefined && last.step.end !== 'length';
  return fold.answer?.complete === true && last?.id === fold.answer.node;
}

/** Applies `on_unaccepted: refuse`; the parts that answer clients apply `error`. */
function textsOf(
  plan: SearchPlan,
  fold: SearchFold,
  { content, reasoning, calls }: ReturnType<typeof splitPath>,
  complete: boolean,
  exit: Exit,
  { verdict, verdict_text }: JudgedFacts,
): ResultTexts {
  if (plan.onUnaccepted === 'refuse' && isUnaccepted(plan, exit.kind, verdict)) {
    const refusal = unacceptedText(verdict_text, fold.rollouts);
    return { content: null, reasoning_content: null, refusal, answer: null };
  }
  const answer = complete ? (fold.answer?.answer ?? null) : null;
  const told = calls === undefined ? { content } : { content: content || null, calls: [...calls] };
  const votes = agentTurn(plan.prompt) && fold.tree ? { votes: turnVotes(fold.tree) } : {};
  return { ...told, reasoning_content: reasoning === '' ? null : reasoning, refusal: null, answer, ...votes };
}

const mostVotes = 8;
const votedChars = 500;

function turnVotes(tree: Tree) {
  return votesIn(tree)
    .slice(0, mostVotes)
    .map(({ weight, votes: [first] }) => {
      return { answer: (first?.answer ?? '').slice(0, votedChars).toWellFormed(), votes: weight };
    });
}

type JudgedFacts = Pick<ResultFacts, 'verdict' | 'verdict_text' | 'score' | 'confidence'>;

/** The text of a generation without search is its answer, unless it was cut. */
function judgedBy(
  { mode, scoring, threshold, accepts }: SearchPlan,
  { answer }: SearchFold,
  path: readonly Node[],
  complete: boolean,
): JudgedFacts {
  const given = path.length === 0 ? undefined : answer;
  const judged: Judged = {
    // A generation without search was asked for no mark, and has no other votes.
    answer:
      mode === 'direct'
        ? given && { answer: given.text, complete: true, score: given.score }
        : given && { ...given, complete },
    scoring,
    threshold,
    accepts,
  };
  const score = shownScore({ ...judged, answer }) ?? null;
  return { verdict: verdictOf(judged), verdict_text: verdictText(judged), score, confidence: confidenceIn(judged) };
}

type JudgedChoice = NonNullable<ResultFacts['choices']>[number];

function choicesOf(
  plan: SearchPlan,
  fold: SearchFold,
  { verdict, score, confidence }: JudgedFacts,
): JudgedChoice[] | undefined {
  const { answer, tree } = fold;
  if (plan.answers === undefined || answer === undefined || tree === undefined) return undefined;
  const others = furtherAnswers(plan, fold).map((path, at): JudgedChoice => {
    const leaf = path.at(-1)!;
    const judged = judgedLeaf(plan, tree, leaf);
    const said = { verdict: verdictOf(judged), score: shownScore(judged) ?? null, confidence: confidenceIn(judged) };
    return { index: at + 1, node: leaf.id, ...said };
  });
  return [{ index: 0, node: answer.node, verdict, score, confidence }, ...others];
}

/** Null for an unfinished answer. */
function confidenceIn({ answer }: Judged): number | null {
  return (answer?.complete && !answer.unsaid && answer.confidence) || null;
}

function finishReason(
  plan: SearchPlan,
  path: readonly Node[],
  complete: boolean,
  texts: ResultTexts,
): 'stop' | 'length' {
  const end = path.at(-1)?.step?.end;
  if (texts.refusal !== null || end === undefined) return 'stop'; // no text, so nothing was cut
  if (plan.mode === 'direct') return end === 'eos' || end === 'delimiter' ? 'stop' : 'length';
  return complete && end !== 'length' ? 'stop' : 'length';
}

/** Rounds milliseconds to tenths; a clock that was set back gives 0. */
export function roundToTenths(ms: number): number {
  return Math.round(Math.max(0, ms) * 10) / 10;
}

export function describeForClient(
  id: string,
  plan: Pick<AboutJson, 'mode' | 'program' | 'policy' | 'scoring'> & {
    readonly weights?: string | undefined;
  },
  texts: ResultTexts,
  outcome: ResultFacts,
  escalatedFrom: string | null,
): CoppiceJson {
  const { finish_reason, matchedStop, usage, escalated_to, audit, ...effort } = outcome;
  const { program, policy, scoring } = plan;
  const note = plan.weights === undefined ? {} : { weights: plan.weights };
  const direct = plan.mode === 'direct' && ({ passed_through: true } as const);
  const how = { scoring, program, policy, ...note, ...direct };
  const votes = texts.votes && { votes: texts.votes };
  return { search: id, answer: texts.answer, ...votes, ...effort, ...how, escalated_from: escalatedFrom };
}
