// What all test servers share: a loopback HTTP server with the routes of one kind of server, that counts what it sees and
// misbehaves on demand. Tokens are written one at a time at the server's own pace; a client that leaves is noticed before
// the next one.

import * as http from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import {
  continuation,
  endOfText,
  type ThinkingModel,
  type Token,
  thoughtContinuation,
  turnOf,
  Vocabulary,
} from './model.ts';

export interface ServerSettings {
  readonly vocabulary?: Vocabulary;
  readonly depth?: number;
  readonly contextTokens?: number;
  readonly apiKey?: string;
  readonly model?: string;
  /** Sequences at a time, for servers that have slots. */
  readonly slots?: number;
  /** A reasoning model in the place of the usual one. */
  readonly thinking?: ThinkingModel;
  /** Every answer is written in pieces of so many bytes, so that characters and lines are split. */
  readonly fragmentBytes?: number;
}

/** How the next generations go wrong. */
export type Mischief =
  | { readonly type: 'none' }
  | { readonly type: 'status'; readonly status: number; readonly message?: string }
  | { readonly type: 'cut'; readonly afterTokens: number }
  | { readonly type: 'hang'; readonly afterTokens: number }
  | { readonly type: 'garbage' }
  | { readonly type: 'blank' }
  | { readonly type: 'no-done' }
  | { readonly type: 'error-inside'; readonly afterTokens: number }
  | { readonly type: 'die'; readonly afterTokens: number };

export interface Seen {
  readonly path: string;
  readonly body: Record<string, unknown>;
  readonly headers: http.IncomingHttpHeaders;
}

export class HttpFailure extends Error {
  readonly status: number;
  readonly body: unknown;

  constructor(status: number, body: unknown) {
    super(String(status));
    this.status = status;
    this.body = body;
  }
}

/** A stream of events to one client. */
export interface EventStream {
  readonly gone: boolean;
  event(data: unknown): Promise<void>;
  raw(text: string): Promise<void>;
  cut(): void;
}

export abstract class TestServer {
  readonly vocabulary: Vocabulary;
  readonly model: string;
  readonly contextTokens: number;
  readonly slots: number;
  readonly seen: Seen[] = [];
  /** Tokens written to clients, and generations that a client left before their end. */
  tokensWritten = 0;
  abandoned = 0;
  generating = 0;
  mostAtOnce = 0;
  /** What it says of requests that wait, for servers that tell. */
  waiting = 0;
  /** Event streams whose client is still there. */
  openStreams = 0;
  mischief: () => Mischief = () => ({ type: 'none' });
  /** Resolved before each token; tests replace it to hold a generation in the middle. */
  pace: (token: number) => Promise<void> = () => new Promise((resolve) => setImmediate(resolve));
  protected readonly depth: number;
  protected readonly thinking: ThinkingModel | undefined;
  readonly #settings: ServerSettings;
  readonly #server: http.Server;
  readonly #sockets = new Set<Socket>();

  constructor(settings: ServerSettings = {}) {
    this.#settings = settings;
    this.vocabulary = settings.vocabulary ?? new Vocabulary();
    this.model = settings.model ?? 'test-model';
    this.contextTokens = settings.contextTokens ?? 4096;
    this.slots = settings.slots ?? 4;
    this.depth = settings.depth ?? 3;
    this.thinking = settings.thinking;
    this.#server = http.createServer((request, response) => void this.#serve(request, response));
    this.#server.on('connection', (socket) => {
      this.#sockets.add(socket);
      socket.on('close', () => this.#sockets.delete(socket));
    });
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** A port that was free may have become another's meanwhile, such as a client's own: it is asked for again until it is free. */
  async listen(port = 0): Promise<this> {
    const isTaken = await new Promise<boolean>((resolve) => {
      this.#server.once('error', () => resolve(true));
      this.#server.listen(port, '127.0.0.1', () => resolve(false));
    });
    if (!isTaken) return this;
    await delay(50);
    return this.listen(port);
  }

  /** As a killed process: every connection breaks at once. */
  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    if (this.#server.listening) await new Promise((resolve) => this.#server.close(resolve));
  }

  /** Bodies of the requests to a path. */
  bodies(path: string): Record<string, unknown>[] {
    return this.seen.filter((each) => each.path === path).map((each) => each.body);
  }

  /** Answers a request to an endpoint, such as `GET /health`, with a value, or writes events and answers nothing. */
  protected abstract route(endpoint: string, body: Record<string, unknown>, open: () => EventStream): Promise<unknown>;

  /** An error body in this kind of server's own shape. */
  protected abstract errorBody(status: number, message: string): unknown;

  protected refuse(status: number, message: string): never {
    throw new HttpFailure(status, this.errorBody(status, message));
  }

  /** How the generation that begins now goes wrong; refuses it where that is how. */
  protected begin(): Mischief {
    const mischief = this.mischief();
    if (mischief.type === 'status') this.refuse(mischief.status, mischief.message ?? 'told to fail');
    return mischief;
  }

  protected draw(promptIds: readonly number[], seed: number, temperature: number, mischief: Mischief): Token[] {
    const prompt = this.vocabulary.decode(promptIds);
    if (this.thinking !== undefined) return thoughtContinuation(this.vocabulary, prompt, this.thinking);
    const tokens = continuation(this.vocabulary, prompt, seed, temperature, { depth: this.depth });
    return mischief.type === 'blank'
      ? [{ id: this.vocabulary.id('\n\n'), text: '\n\n', logprob: -1 }, ...tokens]
      : tokens;
  }

  /** What the template of a reasoning model adds to a conversation that it is to answer. */
  protected turn(body: Record<string, unknown>, isContinued: boolean): string {
    return this.thinking === undefined || isContinued ? '' : turnOf(this.thinking, body.chat_template_kwargs);
  }

  /** JSON for a schema of an object with numbers. */
  protected drawShape(schema: unknown, seed: number): Token[] {
    const { properties = {} } = schema as { readonly properties?: object };
    const text = JSON.stringify(Object.fromEntries(Object.keys(properties).map((name) => [name, seed % 10])));
    const ids = this.vocabulary.encode(text, false);
    const tokens = ids.map((id) => ({ id, text: this.vocabulary.text(id)!, logprob: -0.5 }));
    return [...tokens, { id: endOfText, text: '', logprob: -0.1 }];
  }

  /** Writes one generation's tokens, going wrong as told; false where the client is gone or the mischief ended it. */
  protected async writeTokens(
    stream: EventStream,
    tokens: readonly Token[],
    mischief: Mischief,
    each: (token: Token, at: number) => Promise<void>,
  ): Promise<boolean> {
    this.generating += 1;
    this.mostAtOnce = Math.max(this.mostAtOnce, this.generating);
    try {
      for (const [at, token] of tokens.entries()) {
        if ('afterTokens' in mischief && at === mischief.afterTokens) return await this.#goWrong(mischief.type, stream);
        if (mischief.type === 'garbage') {
          await stream.raw('data: {"choices": [\n\n');
          return false;
        }
        await this.pace(at);
        if (stream.gone) {
          this.abandoned += 1;
          return false;
        }
        this.tokensWritten += 1;
        await each(token, at);
      }
      return true;
    } finally {
      this.generating -= 1;
    }
  }

  async #goWrong(type: 'cut' | 'hang' | 'error-inside' | 'die', stream: EventStream): Promise<boolean> {
    if (type === 'cut') stream.cut();
    if (type === 'die') void this.close();
    if (type === 'error-inside') await stream.event(this.errorBody(500, 'broken inside'));
    if (type === 'hang') await stream.raw(': still here\n\n');
    if (type === 'hang') await new Promise<void>((resolve) => this.#server.once('close', resolve));
    return false;
  }

  async #serve(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    try {
      const path = (request.url ?? '/').split('?')[0]!;
      const key = this.#settings.apiKey;
      if (key !== undefined && request.headers.authorization !== `Bearer ${key}`) {
        this.refuse(401, `invalid key ${request.headers.authorization ?? ''}`);
      }
      const body = await readBody(request);
      if (request.method === 'POST') this.seen.push({ path, body, headers: request.headers });
      const answer = await this.route(`${request.method} ${path}`, body, () => this.#open(response));
      if (response.headersSent) response.end();
      else reply(response, 200, answer);
    } catch (error) {
      if (!(error instanceof HttpFailure)) throw error;
      reply(response, error.status, error.body);
    }
  }

  #open(response: http.ServerResponse): EventStream {
    let gone = false;
    this.openStreams += 1;
    response.on('close', () => {
      this.openStreams -= 1;
      gone = true;
    });
    // Siblings share a stream: an event is written whole before the next begins.
    let written = Promise.resolve();
    const raw = (text: string): Promise<void> => {
      written = written.then(() => write(text));
      return written;
    };
    const write = async (text: string): Promise<void> => {
      if (!response.headersSent) response.writeHead(200, { 'content-type': 'text/event-stream' });
      const bytes = Buffer.from(text);
      const size = this.#settings.fragmentBytes ?? bytes.length;
      for (let at = 0; at < bytes.length; at += size) {
        response.write(bytes.subarray(at, at + size));
        if (size < bytes.length) await new Promise((resolve) => setImmediate(resolve));
      }
    };
    return {
      get gone() {
        return gone;
      },
      raw,
      event: (data) => raw(`data: ${JSON.stringify(data)}\n\n`),
      cut: () => response.socket?.destroy(),
    };
  }
}

async function readBody(request: http.IncomingMessage): Promise<Record<string, unknown>> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) text += chunk;
  return text === '' ? {} : (JSON.parse(text) as Record<string, unknown>);
}

function reply(response: http.ServerResponse, status: number, body: unknown): void {
  const text = typeof body === 'string' ? body : JSON.stringify(body ?? {});
  response.writeHead(status, { 'content-type': typeof body === 'string' ? 'text/plain' : 'application/json' });
  response.end(text);
}
