// The part of PostgreSQL's protocol (version 3) that shows, on a connection between client and server, which statements are sent
// and when one of them would commit. It never changes a byte.

export interface PostgresMessage {
  /** One letter; '' for a client's first message, which has none. */
  readonly type: string;
  readonly bytes: Buffer;
}

/** Splits one side's bytes into messages, in whatever pieces they arrive. */
export class MessageSplitter {
  #rest: Buffer = Buffer.alloc(0);
  #isFirst: boolean;

  constructor(side: 'client' | 'server') {
    this.#isFirst = side === 'client';
  }

  take(piece: Buffer): PostgresMessage[] {
    const messages: PostgresMessage[] = [];
    let bytes = this.#rest.length === 0 ? piece : Buffer.concat([this.#rest, piece]);
    for (;;) {
      const head = this.#isFirst ? 0 : 1;
      if (bytes.length < head + 4) break;
      const length = head + bytes.readInt32BE(head);
      if (bytes.length < length) break;
      const type = this.#isFirst ? '' : String.fromCharCode(bytes[0]!);
      messages.push({ type, bytes: bytes.subarray(0, length) });
      bytes = bytes.subarray(length);
      this.#isFirst = false;
    }
    this.#rest = bytes;
    return messages;
  }
}

/** Follows the transactions of one connection. */
export class TransactionWatch {
  /** The status that the server last reported: idle, in a transaction, or in a failed one. */
  #status = 'I';
  #statement = '';
  /** Statements of the current transaction. */
  #work: string[] = [];

  /** The statements that this message of the client would commit, if any. */
  sent({ type, bytes }: PostgresMessage): string | undefined {
    if (type === 'Q') this.#statement = textAt(bytes, 5);
    if (type === 'P') this.#statement = textAt(bytes, bytes.indexOf(0, 5) + 1);
    if (type !== 'Q' && type !== 'S') return undefined;
    this.#work.push(this.#statement);
    const isAlone = this.#status === 'I' && /\b(insert|update|delete)\b/i.test(this.#statement);
    const isCommit = /\bcommit\b/i.test(this.#statement);
    return isAlone || isCommit ? this.#work.join('; ') : undefined;
  }

  /** True if this is the server's last message in answer to all that it was sent. */
  answered({ type, bytes }: PostgresMessage): boolean {
    if (type !== 'Z') return false;
    this.#status = String.fromCharCode(bytes[5]!);
    if (this.#status === 'I') this.#work = [];
    return true;
  }
}

function textAt(bytes: Buffer, from: number): string {
  return bytes.toString('utf8', from, bytes.indexOf(0, from));
}
