// The answer of a chat completion in OpenAI's words, whole or in chunks.

import { version } from '../observe/version.ts';
import type { LiveSearch } from '../searches/live-search.ts';
import { describeForClient, furtherAnswers } from '../searches/search-result.ts';
import type { ClientResult, Usage } from '../wire/result-json.ts';

function completionId(searchId: string): string {
  return `chatcmpl-${searchId.replace(/^srch_/, '')}`;
}

export function completion(search: LiveSearch, { texts, outcome }: ClientResult) {
  const { content, reasoning_content, refusal } = texts;
  const reasoning = reasoning_content === null ? {} : { reasoning_content };
  const message = { role: 'assistant', content, ...reasoning, refusal };
  const asked = search.facts.plan.answers ?? 1;
  const further = refusal === null ? furtherChoices(search) : [];
  const answers = asked === 1 ? {} : { answers: { asked, given: 1 + further.length } };
  return {
    ...head(search, 'chat.completion'),
    choices: [{ index: 0, message, logprobs: null, finish_reason: outcome.finish_reason }, ...further],
    usage: outcome.usage,
    coppice: { ...coppiceObject(search, { texts, outcome }), ...answers },
  };
}

/** The choices after the first, where several answers were asked for. */
function furtherChoices({ facts, fold }: LiveSearch) {
  return furtherAnswers(facts.plan, fold).map(({ content, reasoning }, at) => {
    const message = {
      role: 'assistant',
      content,
      ...(reasoning === '' ? {} : { reasoning_content: reasoning }),
      refusal: null,
    };
    return { index: at + 1, message, logprobs: null, finish_reason: 'stop' };
  });
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
