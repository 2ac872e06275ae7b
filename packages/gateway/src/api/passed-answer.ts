// Extracts text and cost from the answer of an engine's own endpoint while it passes through, whole or as a stream, in any API. Skips
// what it does not know; changes no byte.

import type { Plain } from '@coppice/core/journal';
import { BoundedBody, parseJson, SseParser } from '@coppice/core/remote';
import { record } from '../dialects/unchecked.ts';

export interface PassedAnswer {
  /** The tool calls as JSON if there is no text. */
  readonly text: string;
  readonly isCut: boolean;
  readonly promptTokens: number;
  readonly cachedTokens: number;
  /** The engine's count, or else the number of pieces of the stream. */
  readonly completionTokens: number;
}

const mostBytes = 4_194_304;
/** Reading stops after this many: each one throws an error with its stack. */
const mostUnreadable = 100;
/** Fields of `usage` that are kept, in all three APIs. A stream may send thousands of others. */
const counted = /^(?:prompt|input|completion|output|cache_read_input)_tokens(?:_details)?$/;

export class PassedReader {
  readonly #events: SseParser | undefined;
  readonly #whole = new BoundedBody(mostBytes);
  #bytes = 0;
  #text = '';
  #calls = '';
  #pieces = 0;
  #isCut = false;
  #unreadable = 0;
  readonly #usage: Record<string, unknown> = {};

  constructor(contentType: string | null) {
    this.#events = contentType?.startsWith('text/event-stream') === true ? new SseParser(mostBytes) : undefined;
  }

  add(chunk: Uint8Array): void {
    this.#bytes += chunk.length;
    if (this.#events === undefined) this.#whole.add(chunk);
    // Below this bound no event is too large for the parser.
    else if (this.#bytes <= mostBytes) this.#readEvents(this.#events, chunk);
  }

  #readEvents(events: SseParser, chunk: Uint8Array): void {
    try {
      for (const data of this.#unreadable < mostUnreadable ? events.push(chunk) : [])
        if (data !== '[DONE]' && this.#unreadable < mostUnreadable) this.#read(data);
    } catch {
      this.#unreadable = mostUnreadable;
    }
  }

  end(): PassedAnswer {
    if (this.#events === undefined && this.#bytes <= mostBytes) this.#read(this.#whole.text());
    const usage = this.#usage;
    const details = record(usage.prompt_tokens_details ?? usage.input_tokens_details);
    return {
      text: this.#text === '' ? this.#calls : this.#text,
      isCut: this.#isCut,
      promptTokens: count(usage.prompt_tokens ?? usage.input_tokens),
      cachedTokens: count(details.cached_tokens ?? usage.cache_read_input_tokens),
      completionTokens:
        count(usage.completion_tokens ?? usage.output_tokens) || (this.#events === undefined ? 0 : this.#pieces),
    };
  }

  #read(text: string): void {
    try {
      const value = record(parseJson(text, 'an answer'));
      this.#readChat(value);
      this.#readMessage(value);
      this.#readResponse(value);
    } catch {
      // Unreadable answers are passed on all the same.
      this.#unreadable += 1;
    }
  }

  /** Chat completions, completions and embeddings: `choices`, whole or as deltas. */
  #readChat({ choices, usage }: Plain): void {
    this.#count(usage);
    const choice = record(list(choices)[0]);
    const { content, tool_calls: calls } = record(choice.message ?? choice.delta);
    this.#say(content ?? choice.text);
    for (const call of list(calls)) {
      const { name, arguments: given } = record(record(call).function);
      this.#call(name, given);
    }
    if (choice.finish_reason === 'length') this.#isCut = true;
  }

  /** Anthropic's messages: blocks, whole or as the events of a stream. */
  #readMessage({ type, message, content, content_block: block, delta, usage, stop_reason: reason }: Plain): void {
    if (typeof type !== 'string') return;
    for (const each of type === 'message' ? list(content) : [block]) {
      const { text, name, input } = record(each);
      this.#say(text);
      if (name !== undefined) this.#call(name, type === 'message' ? JSON.stringify(input) : '');
    }
    if (type === 'content_block_delta') {
      const { text, partial_json: part } = record(delta);
      this.#say(text);
      this.#call(undefined, part);
    }
    this.#count(record(message).usage);
    if (type.startsWith('message')) this.#count(usage);
    if ((reason ?? record(delta).stop_reason) === 'max_tokens') this.#isCut = true;
  }

  /** Responses: the whole object, or the last event of a stream, which carries it. */
  #readResponse({ object, response, ...rest }: Plain): void {
    const whole = object === 'response' ? rest : record(response);
    if (object !== 'response' && whole.usage === undefined) return;
    for (const each of list(whole.output)) {
      const { content, name, arguments: given } = record(each);
      for (const part of list(content)) this.#say(record(part).text);
      if (name !== undefined) this.#call(name, given);
    }
    this.#count(whole.usage);
    if (whole.status === 'incomplete') this.#isCut = true;
  }

  #say(text: unknown): void {
    if (typeof text !== 'string' || text === '') return;
    this.#text += text;
    this.#pieces += 1;
  }

  #call(name: unknown, given: unknown): void {
    if (typeof name === 'string') this.#calls += `${this.#calls === '' ? '' : '\n'}${name} `;
    if (typeof given !== 'string' || given === '') return;
    this.#calls += given;
    this.#pieces += 1;
  }

  /** Streams report usage in pieces: the last value of each count holds. */
  #count(usage: unknown): void {
    for (const [name, value] of Object.entries(record(usage))) if (counted.test(name)) this.#usage[name] = value;
  }
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function count(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? Math.floor(value) : 0;
}
