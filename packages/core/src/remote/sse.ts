// Server-sent events from raw bytes. Characters split across chunks stay whole, and a last event without its blank line is delivered.

import { createParser, type EventSourceParser } from 'eventsource-parser';
import { raise } from '../base/fault.ts';

const usualCharacters = 4 * 1024 * 1024;
/** Lines that are no field are ignored, as the standard says. The parser makes an error of each, which takes ten times as long. */
const mostStrange = 1000;

export class SseParser {
  readonly #decoder = new TextDecoder();
  readonly #parser: EventSourceParser;
  #events: string[] = [];
  #strange = 0;

  /** A server that never ends a line must not fill our memory. */
  constructor(limitCharacters = usualCharacters) {
    this.#parser = createParser({
      maxBufferSize: limitCharacters,
      onEvent: ({ data }) => this.#events.push(data),
      onError: ({ type }) => {
        if (type === 'max-buffer-size-exceeded')
          raise('protocol', `an event of the stream is longer than ${limitCharacters} characters`);
        this.#strange += 1;
        if (this.#strange > mostStrange)
          raise('protocol', `more than ${mostStrange} lines of the stream are no part of an event`);
      },
    });
  }

  push(bytes: Uint8Array): string[] {
    return this.#feed(this.#decoder.decode(bytes, { stream: true }));
  }

  end(): string[] {
    return this.#feed(`${this.#decoder.decode()}\n\n`);
  }

  #feed(text: string): string[] {
    this.#events = [];
    this.#parser.feed(text);
    return this.#events;
  }
}
