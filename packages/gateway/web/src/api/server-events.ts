// Parses the gateway's event stream from a fetch body: EventSource cannot send a key. An unfinished message waits for the next piece.

import { createParser, type EventSourceParser } from 'eventsource-parser';

export interface ServerMessage {
  readonly event: string;
  readonly data: string;
  /** The last id so far, of this message or an earlier one. */
  readonly id: string | undefined;
}

export class ServerEventParser {
  readonly #parser: EventSourceParser;
  #messages: ServerMessage[] = [];
  #id: string | undefined;

  constructor() {
    this.#parser = createParser({
      onId: (id) => {
        this.#id = id;
      },
      onEvent: ({ event = 'message', data }) => this.#messages.push({ event, data, id: this.#id }),
    });
  }

  /** Returns the messages that this piece completes. Pieces may cut lines anywhere. */
  push(piece: string): ServerMessage[] {
    this.#messages = [];
    this.#parser.feed(piece);
    return this.#messages;
  }
}
