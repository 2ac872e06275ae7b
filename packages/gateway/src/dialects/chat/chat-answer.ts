// The answer of a chat completion in OpenAI's words, whole or in chunks.

import { version } from '@coppice/core/config';
import type { Verdict } from '@coppice/core/log';
import type { Node } from '@coppice/core/tree';
import {
  type ChoiceTokens,
  choiceTokens,
  chosenPath,
  furtherAnswers,
  promptTokenIds,
  splitPath,
} from '../../result/chosen-path.ts';
import { answerLogprobs, pathLogprobs } from '../../result/logprobs.ts';
import { describeForClient } from '../../result/search-result.ts';
import type { ClientResult, LogprobsJson, ResultFacts, ResultTexts } from '../../wire/result-json.ts';
import type { Delta } from '../deltas.ts';
import type { ToldSearch } from '../dialect.ts';

function completionId(searchId: string): string {
  return `chatcmpl-${searchId.replace(/^srch_/, '')}`;
}

export function completion(search: ToldSearch, { texts, outcome }: ClientResult) {
  const { content, reasoning_content, refusal } = texts;
  const reasoning = reasoning_content === null ? {} : reasoningFields(reasoning_content);
  const calls = outcome.complete && refusal === null ? callsOf(search, content ?? '') : undefined;
  const message = { role: 'assistant', ...(calls ?? { content }), ...reasoning, refusal };
  const further = furtherOf(search, texts).map(({ delta, index, logprobs, leaf, end }) => {
    const { content: text = '', ...before } = delta;
    const called = callsOf(search, text, index);
    const said = { role: 'assistant', ...(called ?? { content: text }), ...before, refusal: null };
    const finish_reason = called ? 'tool_calls' : end;
    return { index, message: said, logprobs, finish_reason, ...tokensOf(search, leaf) };
  });
  const logprobs = logprobsOf(search, { texts, outcome });
  const first = { index: 0, message, logprobs, finish_reason: calls ? 'tool_calls' : outcome.finish_reason };
  const leaf = chosenPath(search.facts.plan, search.fold).at(-1);
  return {
    ...head(search, 'chat.completion', outcome.verdict),
    ...(search.facts.plan.recordTokens ? { prompt_token_ids: promptTokenIds(leaf) } : {}),
    choices: [{ ...first, ...tokensOf(search, leaf) }, ...further],
    usage: usageOf(outcome),
    coppice: coppiceObject(search, { texts, outcome }),
  };
}

function tokensOf({ facts }: ToldSearch, leaf: Node | undefined): Partial<ChoiceTokens> {
  return facts.plan.recordTokens ? choiceTokens(leaf) : {};
}

/** The call in place of the text, if the answer is one. */
function callsOf({ facts }: ToldSearch, text: string, index = 0) {
  if (facts.plan.shape?.isCall === undefined) return undefined;
  const { name, arguments: given } = JSON.parse(text) as { readonly name: string; readonly arguments: unknown };
  const id = `call_${facts.id.replace(/^srch_/, '')}_${index}`;
  const call = { id, type: 'function', function: { name, arguments: JSON.stringify(given) } };
  return { content: null, tool_calls: [call] };
}

function logprobsOf({ facts, fold }: ToldSearch, { texts, outcome }: ClientResult): LogprobsJson | null {
  const isText = texts.refusal === null && facts.plan.shape?.isCall === undefined;
  return isText ? answerLogprobs(facts.plan, fold, outcome.complete) : null;
}

/** vLLM reads `reasoning`, other servers' clients `reasoning_content`. */
function reasoningFields(reasoning: string) {
  return { reasoning, reasoning_content: reasoning };
}

interface FurtherChoice {
  readonly delta: Delta;
  readonly index: number;
  readonly logprobs: LogprobsJson | null;
  readonly leaf: Node | undefined;
  readonly end: 'stop' | 'length';
}

function furtherOf({ facts: { plan }, fold }: ToldSearch, { refusal }: ResultTexts): FurtherChoice[] {
  const further = refusal === null ? furtherAnswers(plan, fold) : [];
  return further.map((path, at) => {
    const { content, reasoning, matchedStop } = splitPath(plan, path, true);
    const leaf = path.at(-1);
    const before = reasoning === '' ? {} : reasoningFields(reasoning);
    return {
      delta: { ...before, content },
      index: at + 1,
      leaf,
      end: matchedStop === undefined && leaf?.step?.end === 'length' ? 'length' : 'stop',
      logprobs: plan.shape?.isCall ? null : pathLogprobs(plan, path, true),
    };
  });
}

function coppiceObject(search: ToldSearch, { texts, outcome }: ClientResult) {
  const { id, plan, escalatedFrom } = search.facts;
  const asked = plan.answers ?? 1;
  const answers = asked === 1 ? {} : { answers: { asked, given: 1 + furtherOf(search, texts).length } };
  return { ...describeForClient(id, plan, texts, outcome, escalatedFrom), ...answers };
}

export class Chunks {
  readonly #head: ReturnType<typeof head>;
  readonly #usage: { readonly usage: null } | undefined;

  constructor(search: ToldSearch, includeUsage: boolean) {
    this.#head = head(search, 'chat.completion.chunk');
    this.#usage = includeUsage ? { usage: null } : undefined;
  }

  delta(delta: Delta) {
    const { reasoning_content: reasoning } = delta;
    return this.#chunk(reasoning === undefined ? delta : { ...delta, ...reasoningFields(reasoning) }, null);
  }

  /** The end of the first choice, the others, which are known only now, and the `coppice` object. */
  last(search: ToldSearch, result: ClientResult) {
    const further = furtherOf(search, result.texts).flatMap(({ delta, index, logprobs, end }) => {
      const { content: text = '', ...before } = delta;
      const called = callDelta(search, text, index);
      return [
        this.#chunk({ role: 'assistant', ...before, ...(called ?? { content: text }) }, null, index, logprobs),
        this.#chunk({}, called ? 'tool_calls' : end, index),
      ];
    });
    const { outcome, texts } = result;
    const isAnswer = outcome.complete && texts.refusal === null;
    const first = isAnswer ? callDelta(search, texts.content ?? '') : undefined;
    const called = first === undefined ? [] : [this.#chunk(first, null)];
    const end = this.#chunk({}, first ? 'tool_calls' : outcome.finish_reason, 0, logprobsOf(search, result));
    const last = head(search, 'chat.completion.chunk', outcome.verdict);
    const { model, system_fingerprint } = last;
    return [...called, ...further, { ...end, model, system_fingerprint, coppice: coppiceObject(search, result) }];
  }

  usage(outcome: ResultFacts) {
    return { ...this.#head, choices: [], usage: usageOf(outcome) };
  }

  #chunk(delta: object, finish_reason: string | null, index = 0, logprobs: LogprobsJson | null = null) {
    return { ...this.#head, choices: [{ index, delta, logprobs, finish_reason }], ...this.#usage };
  }
}

function callDelta(search: ToldSearch, text: string, index = 0): object | undefined {
  const called = callsOf(search, text, index);
  return called && { tool_calls: called.tool_calls.map((call) => ({ index: 0, ...call })) };
}

/** Clients keep the usage, and LangChain the fingerprint of the last chunk: both carry the verdict. */
function usageOf({ usage, verdict, verdict_text }: ResultFacts) {
  return { ...usage, coppice: { verdict, verdict_text } };
}

function head({ facts }: ToldSearch, object: string, verdict?: Verdict) {
  const created = Math.floor(facts.createdMs / 1000);
  return {
    id: completionId(facts.id),
    object,
    created,
    model: facts.plan.model,
    system_fingerprint: `coppice-${version}${verdict === undefined ? '' : ` ${verdict}`}`,
  };
}
