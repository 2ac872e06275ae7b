// Writes a message in Anthropic's format, whole or as events of a stream: a thinking block if the client asked for it, then a text block.

import { describeForClient } from '../../result/search-result.ts';
import type { ClientResult, TurnCall } from '../../wire/result-json.ts';
import type { Delta } from '../deltas.ts';
import type { ToldSearch, TypedEvent } from '../dialect.ts';
import { argumentsOf, callId } from '../turn-body.ts';
import { estimateTokens } from './message-body.ts';

const kinds = {
  thinking: { empty: { type: 'thinking', thinking: '', signature: '' }, delta: 'thinking_delta', field: 'thinking' },
  text: { empty: { type: 'text', text: '' }, delta: 'text_delta', field: 'text' },
} as const;
type BlockKind = keyof typeof kinds;

export function wholeMessage(search: ToldSearch, result: ClientResult, thinks: boolean) {
  const { content, reasoning_content: thinking, refusal, calls = [] } = result.texts;
  const text = content ?? refusal ?? '';
  return {
    ...head(search),
    content: [
      ...(thinks && thinking !== null ? [{ type: 'thinking', thinking, signature: '' }] : []),
      ...(text === '' ? [] : [{ type: 'text', text }]),
      ...calls.map((call, at) => ({ ...toolUse(search, call, at), input: argumentsOf(call.arguments) })),
    ],
    ...ending(result),
    coppice: coppiceOf(search, result),
  };
}

function toolUse({ facts }: ToldSearch, { name }: TurnCall, at: number) {
  return { type: 'tool_use', id: callId(facts.id, at), name };
}

/** Events of one stream; a closed block stays closed. */
export class MessageEvents {
  readonly #thinks: boolean;
  #at = -1;
  #open: BlockKind | 'tool_use' | undefined;

  constructor(thinks: boolean) {
    this.#thinks = thinks;
  }

  start(search: ToldSearch): TypedEvent[] {
    const { prompt } = search.facts.plan;
    const said = prompt.kind === 'text' ? [prompt.text] : prompt.messages.map(({ content }) => content);
    // Some clients read only this estimate; the last event has the engine's count.
    const usage = { input_tokens: estimateTokens(said), output_tokens: 0 };
    const message = { ...head(search), content: [], stop_reason: null, stop_sequence: null, usage };
    return [{ type: 'message_start', message }];
  }

  delta(delta: Delta): TypedEvent[] {
    const { reasoning_content: thinking, content, refusal } = delta;
    if (thinking !== undefined) return this.#thinks ? this.#grow('thinking', thinking) : [];
    return this.#grow('text', content ?? refusal ?? '');
  }

  last(search: ToldSearch, result: ClientResult): TypedEvent[] {
    const { usage, ...delta } = ending(result);
    const coppice = coppiceOf(search, result);
    const calls = (result.texts.calls ?? []).flatMap((call, at) => this.#call(toolUse(search, call, at), call));
    return [...calls, ...this.#close(), { type: 'message_delta', delta, usage, coppice }, { type: 'message_stop' }];
  }

  #call(block: ReturnType<typeof toolUse>, { arguments: given }: TurnCall): TypedEvent[] {
    const before = this.#close();
    const index = this.#next('tool_use');
    const delta = { type: 'input_json_delta', partial_json: JSON.stringify(argumentsOf(given)) };
    return [
      ...before,
      { type: 'content_block_start', index, content_block: { ...block, input: {} } },
      { type: 'content_block_delta', index, delta },
    ];
  }

  #grow(kind: BlockKind, text: string): TypedEvent[] {
    if (text === '') return [];
    const { empty, delta, field } = kinds[kind];
    const opened =
      this.#open === kind
        ? []
        : [...this.#close(), { type: 'content_block_start', index: this.#next(kind), content_block: empty }];
    return [...opened, { type: 'content_block_delta', index: this.#at, delta: { type: delta, [field]: text } }];
  }

  #next(kind: BlockKind | 'tool_use'): number {
    this.#open = kind;
    this.#at += 1;
    return this.#at;
  }

  #close(): TypedEvent[] {
    if (this.#open === undefined) return [];
    this.#open = undefined;
    return [{ type: 'content_block_stop', index: this.#at }];
  }
}

function head({ facts }: ToldSearch) {
  return { id: facts.id.replace(/^srch_/, 'msg_'), type: 'message', role: 'assistant', model: facts.plan.model };
}

function ending({ outcome, texts }: ClientResult) {
  const { prompt_tokens: prompt, completion_tokens, prompt_tokens_details } = outcome.usage;
  const { cached_tokens: cached } = prompt_tokens_details;
  const { finish_reason, matchedStop = null, verdict, verdict_text, confidence } = outcome;
  const ended = texts.calls ? 'tool_use' : matchedStop === null ? 'end_turn' : 'stop_sequence';
  const reason = finish_reason === 'length' ? 'max_tokens' : ended;
  return {
    stop_reason: texts.refusal === null ? reason : 'refusal',
    stop_sequence: reason === 'stop_sequence' && texts.refusal === null ? matchedStop : null,
    usage: {
      input_tokens: prompt - cached,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: cached,
      output_tokens: completion_tokens,
      coppice: { verdict, verdict_text, confidence },
    },
  };
}

function coppiceOf({ facts }: ToldSearch, { texts, outcome }: ClientResult) {
  return describeForClient(facts.id, facts.plan, texts, outcome, facts.escalatedFrom);
}
