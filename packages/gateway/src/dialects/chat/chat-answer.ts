// Writes the answer of a chat completion in OpenAI's format, whole or in chunks.

import { version } from '@coppice/core/config';
import type { Verdict } from '@coppice/core/log';
import type { Node } from '@coppice/core/tree';
import { choiceTokens, chosenPath, furtherAnswers, promptTokenIds, splitPath } from '../../result/chosen-path.ts';
import { pathLogprobs } from '../../result/logprobs.ts';
import { describeForClient } from '../../result/search-result.ts';
import type { ClientResult, LogprobsJson, ResultFacts, ResultTexts } from '../../wire/result-json.ts';
import type { Delta } from '../deltas.ts';
import type { ToldSearch } from '../dialect.ts';
import { callId } from '../turn-body.ts';

export function completion(search: ToldSearch, result: ClientResult) {
  const choices = choicesOf(search, result);
  const { recordTokens } = search.facts.plan;
  return {
    ...head(search, 'chat.completion', result.outcome.verdict),
    ...(recordTokens ? { prompt_token_ids: promptTokenIds(choices[0].leaf) } : {}),
    choices: choices.map(({ leaf, ...choice }) => ({ ...choice, ...(recordTokens ? choiceTokens(leaf) : {}) })),
    usage: usageOf(result.outcome),
    coppice: coppiceObject(search, result, choices.length),
  };
}

interface ChatChoice {
  readonly index: number;
  readonly message: ReturnType<typeof messageOf>;
  readonly logprobs: LogprobsJson | null;
  readonly finish_reason: 'stop' | 'length' | 'tool_calls';
  readonly leaf: Node | undefined;
}

function choicesOf(search: ToldSearch, { texts, outcome }: ClientResult): [ChatChoice, ...ChatChoice[]] {
  const { fold } = search;
  const { plan } = search.facts;
  const hasLogprobs = texts.refusal === null && plan.shape?.isCall === undefined;
  const choice = (index: number, path: readonly Node[], told: ChatTexts, end: 'stop' | 'length'): ChatChoice => {
    const complete = index > 0 || outcome.complete;
    const message = messageOf(search, index, told);
    const logprobs = hasLogprobs ? pathLogprobs(plan, path, complete) : null;
    return { index, message, logprobs, finish_reason: message.tool_calls ? 'tool_calls' : end, leaf: path.at(-1) };
  };
  const further = texts.refusal === null ? furtherAnswers(plan, fold) : [];
  const others = further.map((path, at) => {
    const { content, reasoning, matchedStop, calls } = splitPath(plan, path, true);
    const isCut = matchedStop === undefined && path.at(-1)?.step?.end === 'length';
    const told = { content, reasoning_content: reasoning || null, refusal: null, ...(calls && { calls }) };
    return choice(at + 1, path, told, isCut ? 'length' : 'stop');
  });
  return [choice(0, chosenPath(plan, fold), texts, outcome.finish_reason), ...others];
}

type ChatTexts = Omit<ResultTexts, 'answer'>;

function messageOf({ facts: { id } }: ToldSearch, index: number, texts: ChatTexts) {
  const { content, reasoning_content: reasoning, refusal, calls } = texts;
  const told = calls?.map((call, at) => ({ id: callId(id, at, index), type: 'function', function: call }));
  return {
    role: 'assistant',
    content: calls ? content || null : content,
    ...(told && { tool_calls: told }),
    ...(reasoning === null ? {} : reasoningFields(reasoning)),
    refusal,
  };
}

/** vLLM's clients read `reasoning`, those of other servers `reasoning_content`. */
function reasoningFields(reasoning: string) {
  return { reasoning, reasoning_content: reasoning };
}

function coppiceObject({ facts }: ToldSearch, { texts, outcome }: ClientResult, given: number) {
  const { id, plan, escalatedFrom } = facts;
  const { answers: asked = 1 } = plan;
  const answers = asked === 1 ? {} : { answers: { asked, given } };
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

  /** Ends the first choice, then sends the others, which are known only now, and the `coppice` object. */
  last(search: ToldSearch, result: ClientResult) {
    const choices = choicesOf(search, result);
    const [first, ...others] = choices;
    const called = callDelta(first);
    const further = others.flatMap((choice) => {
      const { index, finish_reason, logprobs } = choice;
      const { content, tool_calls: _, refusal: __, ...before } = choice.message;
      const said = { ...before, ...(callDelta(choice) ?? { content }) };
      return [this.#chunk(said, null, index, logprobs), this.#chunk({}, finish_reason, index)];
    });
    const end = this.#chunk({}, first.finish_reason, 0, first.logprobs);
    const { model, system_fingerprint } = head(search, 'chat.completion.chunk', result.outcome.verdict);
    const last = { ...end, model, system_fingerprint, coppice: coppiceObject(search, result, choices.length) };
    return [...(called ? [this.#chunk(called, null)] : []), ...further, last];
  }

  usage(outcome: ResultFacts) {
    return { ...this.#head, choices: [], usage: usageOf(outcome) };
  }

  #chunk(delta: object, finish_reason: string | null, index = 0, logprobs: LogprobsJson | null = null) {
    return { ...this.#head, choices: [{ index, delta, logprobs, finish_reason }], ...this.#usage };
  }
}

function callDelta({ message }: ChatChoice): object | undefined {
  return message.tool_calls && { tool_calls: message.tool_calls.map((call, index) => ({ index, ...call })) };
}

/** Clients keep the usage, and LangChain keeps the last chunk's fingerprint: both carry the verdict. */
function usageOf({ usage, verdict, verdict_text, confidence }: ResultFacts) {
  return { ...usage, coppice: { verdict, verdict_text, confidence } };
}

function head({ facts }: ToldSearch, object: string, verdict?: Verdict) {
  const created = Math.floor(facts.createdMs / 1000);
  return {
    id: facts.id.replace(/^srch_/, 'chatcmpl-'),
    object,
    created,
    model: facts.plan.model,
    system_fingerprint: `coppice-${version}${verdict === undefined ? '' : ` ${verdict}`}`,
  };
}
