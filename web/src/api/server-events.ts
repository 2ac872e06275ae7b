// The text/event-stream format (HTML standard, section 9.2), read from a fetch body: EventSource cannot send a key.
// Pure: text in, messages out; a message that is not finished waits for the next piece.

export interface ServerMessage {
  readonly event: string;
  readonly data: string;
  readonly id: string | undefined;
}

export class ServerEventParser {
  #rest = '';
  #event = '';
  #data: string[] = [];
  #id: string | undefined;

  /** Gives the messages that this piece completes. Pieces may cut lines anywhere. */
  push(piece: string): ServerMessage[] {
    const messages: ServerMessage[] = [];
    const lines = (this.#rest + piece).split(/\r\n|\n|\r(?!$)/);
    this.#rest = lines.pop() ?? '';
    for (const line of lines) {
      const message = line === '' ? this.#finish() : this.#field(line);
      if (message !== undefined) messages.push(message);
    }
    return messages;
  }

  /** A comment begins with a colon: a field without a name, which nobody reads. */
  #field(line: string): undefined {
    const colon = line.indexOf(':');
    const name = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (name === 'data') this.#data.push(value);
    else if (name === 'event') this.#event = value;
    else if (name === 'id') this.#id = value;
  }

  #finish(): ServerMessage | undefined {
    const message = { event: this.#event || 'message', data: this.#data.join('\n'), id: this.#id };
    const empty = this.#data.length === 0;
    this.#event = '';
    this.#data = [];
    return empty ? undefined : message;
  }
}
