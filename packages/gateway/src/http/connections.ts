// Bounds open connections, and answers each one request at a time. A connection is silent until it has sent a whole request, and again
// once that is answered; its answer is unread while the system takes no further byte of it. A new connection at the limit closes the one
// that has been silent longest, else the one whose answer has been unread longest; if there is neither, it is closed itself.

import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { FixedLimits } from './fixed-limits.ts';

type ConnectionLimit = keyof ReturnType<typeof reasonsOf>;

/** Connections that a limit has closed; logged once a minute for each limit. */
export interface ToldCuts {
  readonly limit: ConnectionLimit;
  readonly closed: number;
  readonly message: string;
}

const tellEveryMs = 60_000;

type Serve = (request: IncomingMessage, response: ServerResponse) => void;

interface ConnectionsOptions {
  readonly limits: FixedLimits;
  readonly warn: (cuts: ToldCuts) => void;
  readonly nowMs?: () => number;
  readonly giveBack?: () => void;
  readonly heldBytes?: () => number;
}

interface HeldRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly serve: Serve;
}

interface OpenConnection {
  readonly socket: Socket;
  answering: HeldRequest | undefined;
  readonly waiting: HeldRequest[];
  /** `takenBytes`: bytes of the answer that the system has taken. `unreadSinceMs`: when they last grew, if some are left. */
  takenBytes: number;
  unreadSinceMs: number | undefined;
}

const lookEveryMs = 250;
/** From this many connections on, memory is worth collecting: some 50 kB each. */
const crowd = 500;
/** Growth between collections: V8 lets a crowd's garbage grow to three times the live memory. */
const growthBytes = 134_217_728;
/** An answer that was unread for this long may be closed for a new connection; a reading client progresses far more often. */
const leastUnreadMs = 250;

export class Connections {
  readonly closed: Record<ConnectionLimit, number> = { room: 0, unread: 0, pipelined: 0, bodies: 0 };
  readonly #told = new Map<ConnectionLimit, { readonly closed: number; readonly atMs: number }>();
  readonly #warn: (cuts: ToldCuts) => void;
  readonly #limit: number;
  readonly #limits: FixedLimits;
  readonly #nowMs: () => number;
  readonly #open = new Map<Socket, OpenConnection>();
  /** The longest silent first. */
  readonly #silent = new Set<OpenConnection>();

  #mostOpen = 0;
  /** Bytes held after the last collection. */
  #keptBytes = 0;
  readonly #giveBack: () => void;
  readonly #heldBytes: () => number;

  constructor(
    server: Server,
    {
      limits,
      warn,
      nowMs = () => performance.now(),
      giveBack = giveBackMemory,
      heldBytes = () => process.memoryUsage.rss(),
    }: ConnectionsOptions,
  ) {
    this.#giveBack = giveBack;
    this.#heldBytes = heldBytes;
    this.#limits = limits;
    this.#limit = limits.streams + limits.shortConnections;
    this.#nowMs = nowMs;
    this.#warn = warn;
    server.on('connection', (socket) => this.#enter(socket));
    const looking = setInterval(() => this.look(), lookEveryMs).unref();
    server.once('close', () => clearInterval(looking));
  }

  get open(): number {
    return this.#open.size;
  }

  take(request: IncomingMessage, response: ServerResponse, serve: Serve): void {
    const connection = this.#open.get(request.socket);
    // The connection was closed while its chunk held more requests.
    if (connection === undefined) return;
    const held = { request, response, serve };
    if (connection.answering === undefined) return this.#answer(connection, held);
    connection.waiting.push(held);
    if (connection.waiting.length <= this.#limits.pipelined) return;
    stopParsing(connection.socket);
    this.cut(connection.socket, 'pipelined');
  }

  cut(socket: Socket, limit: ConnectionLimit): void {
    const connection = this.#open.get(socket);
    if (connection === undefined) return;
    this.closed[limit] += 1;
    this.#close(connection);
  }

  look(): void {
    const nowMs = this.#nowMs();
    for (const connection of this.#open.values()) {
      if (connection.answering !== undefined && unreadMs(connection, nowMs) >= this.#limits.unreadMs)
        this.cut(connection.socket, 'unread');
    }
    this.#tell(nowMs);
    this.#mostOpen = Math.max(this.#mostOpen, this.#open.size);
    if (this.#mostOpen < crowd) return;
    const hasLeft = this.#open.size <= this.#mostOpen / 10;
    if (!hasLeft && this.#heldBytes() < this.#keptBytes + growthBytes) return;
    if (hasLeft) this.#mostOpen = this.#open.size;
    this.#giveBack();
    this.#keptBytes = this.#heldBytes();
  }

  #tell(nowMs: number): void {
    for (const [limit, message] of Object.entries(reasonsOf(this.#limits)) as [ConnectionLimit, string][]) {
      const told = this.#told.get(limit) ?? { closed: 0, atMs: -tellEveryMs };
      const closed = this.closed[limit] - told.closed;
      if (closed === 0 || nowMs - told.atMs < tellEveryMs) continue;
      this.#warn({ limit, closed, message });
      this.#told.set(limit, { closed: this.closed[limit], atMs: nowMs });
    }
  }

  #enter(socket: Socket): void {
    if (this.#open.size >= this.#limit && !this.#makeRoom()) {
      socket.destroy();
      return;
    }
    const unanswered = { answering: undefined, waiting: [], takenBytes: 0, unreadSinceMs: undefined };
    const connection: OpenConnection = { socket, ...unanswered };
    this.#open.set(socket, connection);
    this.#silent.add(connection);
    socket.once('close', () => this.#leave(connection));
    socket.once('end', () => probeAnswer(connection));
  }

  #leave(connection: OpenConnection): void {
    if (!this.#open.delete(connection.socket)) return;
    this.#silent.delete(connection);
    connection.waiting.length = 0;
  }

  #answer(connection: OpenConnection, held: HeldRequest): void {
    const { request, response, serve } = held;
    connection.answering = held;
    response.once('close', () => this.#answered(connection));
    // Runs after the chunk is parsed: if the chunk holds too many requests, the connection is closed by then.
    process.nextTick(() => {
      if (connection.socket.destroyed) return;
      serve(request, response);
      if (connection.socket.readableEnded) probeAnswer(connection);
    });
  }

  #answered(connection: OpenConnection): void {
    connection.answering = undefined;
    connection.unreadSinceMs = undefined;
    if (connection.socket.destroyed) return;
    const next = connection.waiting.shift();
    if (next !== undefined) return this.#answer(connection, next);
    this.#silent.delete(connection);
    this.#silent.add(connection);
  }

  #makeRoom(): boolean {
    this.closed.room += 1;
    const chosen = this.#longestSilent() ?? this.#longestUnread();
    if (chosen !== undefined) this.#close(chosen);
    return chosen !== undefined;
  }

  #longestSilent(): OpenConnection | undefined {
    for (const connection of this.#silent) {
      this.#silent.delete(connection);
      // Keeps a connection whose complete request waits for our answer.
      if (connection.answering?.request.complete !== true) return connection;
    }
    return undefined;
  }

  #longestUnread(): OpenConnection | undefined {
    const nowMs = this.#nowMs();
    let longest: { readonly connection: OpenConnection; readonly ms: number } | undefined;
    for (const connection of this.#open.values()) {
      const ms = connection.answering === undefined ? 0 : unreadMs(connection, nowMs);
      if (ms >= leastUnreadMs && ms > (longest?.ms ?? 0)) longest = { connection, ms };
    }
    return longest?.connection;
  }

  #close(connection: OpenConnection): void {
    this.#leave(connection);
    connection.socket.destroy();
  }
}

/** Node would otherwise parse all requests of its chunk, and keep them until the socket closes. */
function stopParsing(socket: Socket): void {
  (socket as { readonly parser?: { pause?(): void } | null }).parser?.pause?.();
}

/** Time since the system took the last byte of the answer; 0 if none is left. */
function unreadMs(connection: OpenConnection, nowMs: number): number {
  const { socket } = connection;
  const takenBytes = socket.writableLength === 0 ? Number.NaN : takenFrom(socket);
  if (takenBytes !== connection.takenBytes) {
    connection.takenBytes = takenBytes;
    connection.unreadSinceMs = socket.writableLength === 0 ? undefined : nowMs;
  }
  return connection.unreadSinceMs === undefined ? 0 : nowMs - connection.unreadSinceMs;
}

/**
 * Bytes that the system has taken, also during a write. Read from Node's internals: its `setTimeout` uses the same
 * count, but restarts whenever the client sends.
 */
function takenFrom(socket: Socket): number {
  const { _handle: handle } = socket as { readonly _handle?: { bytesWritten: number; writeQueueSize: number } | null };
  return handle ? handle.bytesWritten - handle.writeQueueSize : Number.NaN;
}

/**
 * Probes a client that has closed its sending side before the answer. Clients of HTTP/1.1 skip `100 Continue`; one of
 * HTTP/1.0 cannot be probed, and counts as gone.
 */
function probeAnswer({ socket, answering }: OpenConnection): void {
  if (answering === undefined || answering.response.headersSent) return;
  const { request, response } = answering;
  if (request.httpVersionMinor === 0) socket.end();
  else
    probe(response, () => {
      if (!response.headersSent) response.writeContinue();
    });
}

function reasonsOf({ streams, shortConnections, unreadMs, pipelined, bodiesBytes }: FixedLimits) {
  return {
    room: `${streams + shortConnections} are open, the limit`,
    unread: `nothing of their answers was read for ${unreadMs} ms`,
    pipelined: `more than ${pipelined} requests waited behind one that was not answered`,
    bodies: `bodies that were not sent to their end held more than ${bodiesBytes} bytes`,
  };
}

/** V8 collects on allocation, and an idle server hardly allocates. Takes about 100 ms. */
function giveBackMemory(): void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as (options: object) => void;
  collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}

/** Two writes suffice if the refusal arrives between them; some clients accept no more than five interim answers. */
const probesMs: readonly number[] = [0, 100, 1000, 5000];

/**
 * Probes a client that has closed its sending side: it waits for its answer or is gone, and only writing shows which.
 * A gone client's machine refuses the first bytes, and the next write fails and closes. `write` sends what a client
 * skips.
 */
export function probe(response: ServerResponse, write: () => void): void {
  const timers = probesMs.map((afterMs) => setTimeout(write, afterMs).unref());
  response.once('close', () => {
    for (const timer of timers) clearTimeout(timer);
  });
}
