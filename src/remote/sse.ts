// Server-sent events from raw bytes: comments ignored, characters split across chunks kept whole, several `data` lines of
// one event joined, a last event without its blank line still delivered. Knows nothing of JSON or of any server.

import { FaultError, fault } from '../base/fault.ts';

/** One event may not grow beyond this; a server that never ends a line must not fill our memory. */
const eventLimitBytes = 32 * 1024 * 1024;

export class SseParser {
  readonly #decoder = new TextDecoder();
  #rest = '';
  #data: string | undefined;

  /** The `data` of each event that these bytes complete. */
  push(bytes: Uint8Array): string[] {
    const text = this.#rest + this.#decoder.decode(bytes, { stream: true });
    const events: string[] = [];
    let at = 0;
    for (let end = text.indexOf('\n', at); end >= 0; end = text.indexOf('\n', at)) {
      this.#line(text.slice(at, text[end - 1] === '\r' ? end - 1 : end), events);
      at = end + 1;
    }
    this.#rest = text.slice(at);
    if (this.#rest.length + (this.#data?.length ?? 0) > eventLimitBytes) {
      throw new FaultError(fault('protocol', `an event of the stream is longer than ${eventLimitBytes} bytes`));
    }
    return events;
  }

  /** The stream is over: what was complete but for its blank line. */
  end(): string[] {
    const events: string[] = [];
    this.#line(this.#rest + this.#decoder.decode(), events);
    this.#line('', events);
    this.#rest = '';
    return events;
  }

  #line(line: string, events: string[]): void {
    if (line === '') {
      if (this.#data !== undefined) events.push(this.#data);
      this.#data = undefined;
    } else if (line.startsWith('data:')) {
      const value = line.slice(line[5] === ' ' ? 6 : 5);
      this.#data = this.#data === undefined ? value : `${this.#data}\n${value}`;
    }
  }
}
