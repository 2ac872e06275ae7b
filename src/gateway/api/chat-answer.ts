// The answer of a chat completion in OpenAI's words, whole or in chunks.

import { version } from '../observe/version.ts';
import type { LiveSearch } from '../searches/live-search.ts';
import { describeForClient } from '../searches/search-result.ts';
import type { ClientResult, Usage } from '../wire/result-json.ts';

function completionId(searchId: string): string {
  return `chatcmpl-${searchId.replace(/^srch_/, '')}`;
}

export function completion(search: LiveSearch, { texts, outcome }: ClientResult) {
  const { content, reasoning_content, refusal } = texts;
  const reasoning = reasoning_content === null ? {} : { reasoning_content };
  const message = { role: 'assistant', content, ...reasoning, refusal };
  return {
    ...head(search, 'chat.completion'),
    choices: [{ index: 0, message, logprobs: null, finish_reason: outcome.finish_reason }],
    usage: outcome.usage,
    coppice: coppiceObject(search, { texts, outcome }),
  };
}

function coppiceObject({ facts }: LiveSearch, { texts, outcome }: ClientResult) {
  return describeForClient(facts.id, facts.plan, texts, outcome, facts.escalatedFrom);
}

export type Delta = Readonly<Record<string, string>>;

/** Makes the chunks of one answer: the same id, time and model in all of them. */
export class Chunks {
  readonly #head: ReturnType<typeof head>;
  readonly #usage: { readonly usage: null } | undefined;

  constructor(search: LiveSearch, includeUsage: boolean) {
    this.#head = head(search, 'chat.completion.chunk');
    this.#usage = includeUsage ? { usage: null } : undefined;
  }

  delta(delta: Delta) {
    return this.#chunk(delta, null);
  }

  last(search: LiveSearch, result: ClientResult) {
    return {
      ...this.#chunk({}, result.outcome.finish_reason),
      model: search.facts.plan.model,
      coppice: coppiceObject(search, result),
    };
  }

  usage(usage: Usage) {
    return { ...this.#head, choices: [], usage };
  }

  #chunk(delta: Delta, finish_reason: string | null) {
    return { ...this.#head, choices: [{ index: 0, delta, logprobs: null, finish_reason }], ...this.#usage };
  }
}

function head({ facts }: LiveSearch, object: string) {
  const created = Math.floor(facts.createdMs / 1000);
  return {
    id: completionId(facts.id),
    object,
    created,
    model: facts.plan.model,
    system_fingerprint: `coppice-${version}`,
  };
}
