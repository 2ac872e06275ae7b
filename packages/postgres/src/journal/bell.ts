// The bell between processes on one database: LISTEN and NOTIFY. It only says that something has changed: a node that hears it reads the tables,
// and one that misses it reads them later. It has its own connection, and drops messages that it cannot send.

import type { Client } from 'pg';

export interface BellMessage {
  /** The sender: a process ignores its own messages. */
  readonly node: string;
  /** Searches with new log entries, each with the last sequence that is stored. */
  readonly grown?: readonly (readonly [search: string, sequence: number])[];
  readonly cancelled?: readonly string[];
  readonly ended?: readonly string[];
  /** Model for which the queue between nodes has a new search. */
  readonly queued?: string;
}

interface BellOptions {
  readonly channel: string;
  readonly node: string;
  readonly connect: () => Promise<Client>;
  readonly hear: (message: BellMessage) => void;
  /** Called after a reconnection: messages may have been lost. */
  readonly onMissed: () => void;
}

const reconnectMs = 1000;
/** Below NOTIFY's limit of 8,000 bytes. */
const payloadBytes = 7500;
/** Most searches in one message, at less than 60 bytes each. */
const mostNamed = 100;
/** Beyond this many unsent messages the database is too slow, and new ones are dropped. */
const mostUnsent = 1000;

export class Bell {
  readonly #options: BellOptions;
  #client: Client | undefined;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;
  #wasLost = false;
  /** Messages go out one after the other: a connection runs one statement at a time. */
  #sending: Promise<void> = Promise.resolve();
  #unsent = 0;

  constructor(options: BellOptions) {
    this.#options = options;
  }

  /** Reconnects by itself whenever the connection is lost. */
  async open(): Promise<void> {
    const { connect, channel } = this.#options;
    try {
      const client = await connect();
      client.on('error', () => this.#lost(client));
      client.on('end', () => this.#lost(client));
      client.on('notification', ({ payload }) => this.#hear(payload));
      await client.query('set synchronous_commit = off');
      await client.query(`listen ${channel}`);
      this.#client = client;
      if (this.#wasLost) this.#options.onMissed();
    } catch {
      this.#retry();
    }
    if (this.#closed) await this.close();
  }

  ring(message: Omit<BellMessage, 'node'>): void {
    const { grown = [], ended = [], ...rest } = message;
    for (let at = 0; at < Math.max(grown.length, ended.length, 1); at += mostNamed) {
      const part = { grown: grown.slice(at, at + mostNamed), ended: ended.slice(at, at + mostNamed) };
      this.#send({ ...rest, ...part });
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.#sending;
    await this.#client?.end().catch(() => {});
  }

  #send(message: Omit<BellMessage, 'node'>): void {
    const { node, channel } = this.#options;
    const payload = JSON.stringify({ node, ...message });
    if (payload.length > payloadBytes || this.#unsent >= mostUnsent) return;
    this.#unsent += 1;
    const send = async () => {
      await this.#client?.query('select pg_notify($1, $2)', [channel, payload]).catch(() => {});
      this.#unsent -= 1;
    };
    this.#sending = this.#sending.then(send);
  }

  #hear(payload: string | undefined): void {
    const message = JSON.parse(payload ?? '{}') as BellMessage;
    if (message.node !== this.#options.node) this.#options.hear(message);
  }

  #lost(client: Client): void {
    if (this.#client !== client) return;
    this.#client = undefined;
    this.#retry();
  }

  #retry(): void {
    this.#wasLost = true;
    if (this.#closed) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.open(), reconnectMs).unref();
  }
}
