// A line to a PostgreSQL socket that a test can cut. Until it is mended, clients that connect through it find the database silent, as behind a broken
// network, or are refused; or the database commits their writes and the answer is lost. Data in transit is lost too.

import { mkdtempSync, rmSync } from 'node:fs';
import { createConnection, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MessageSplitter, TransactionWatch } from './postgres-messages.ts';

const socketName = '.s.PGSQL.5432';

export interface LostAnswerOptions {
  /** The first commit whose statements match loses its answer; by default the next one. */
  readonly matching?: RegExp;
  /** Delay between the client's loss of the connection and the server's commit. */
  readonly lateMs?: number;
  /** Time for which connections are refused afterwards; by default until the line is mended. */
  readonly refusedMs?: number;
}

interface LostAnswer extends LostAnswerOptions {
  readonly done: (statements: string) => void;
}

export class CutLine {
  /** Like the database's own, but through this line. */
  readonly url: string;
  readonly #folder = mkdtempSync(join(tmpdir(), 'coppice-line-'));
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #state: 'whole' | 'silent' | 'refused' = 'whole';
  #losing: LostAnswer | undefined;
  #mending: NodeJS.Timeout | undefined;
  #target: string;

  constructor(url: string) {
    this.#target = socketOf(url);
    this.#server = createServer((near) => this.#join(near)).listen(join(this.#folder, socketName));
    this.url = url.replace(/host=[^&]*/, `host=${encodeURIComponent(this.#folder)}`);
  }

  /** Leads to another server from now on. */
  lead(url: string): void {
    this.#target = socketOf(url);
    this.mend();
  }

  /** Drops all data from now on, without ending connections. */
  cut(): void {
    this.#state = 'silent';
    for (const socket of this.#sockets) socket.pause();
  }

  /** Ends connections, and new ones at once. */
  refuse(): void {
    this.#state = 'refused';
    this.#destroyAll();
  }

  /**
   * The next commit that matches is carried out without an answer to its client: all connections break, and new ones are refused.
   * Resolves to the statements once the server has answered.
   */
  loseAnswer(options: LostAnswerOptions = {}): Promise<string> {
    return new Promise((done) => {
      this.#losing = { ...options, done };
    });
  }

  /** Also ends the wait for a commit that matches. */
  mend(): void {
    clearTimeout(this.#mending);
    this.#losing = undefined;
    this.#state = 'whole';
    this.#destroyAll();
  }

  close(): void {
    this.mend();
    this.#server.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  // Without backpressure: what tests send is small.
  #join(near: Socket): void {
    this.#keep(near);
    if (this.#state === 'silent') return void near.pause();
    if (this.#state === 'refused') return void near.destroy();
    const far = createConnection(this.#target);
    this.#keep(far);
    const watch = new TransactionWatch();
    const [client, server] = [new MessageSplitter('client'), new MessageSplitter('server')];
    let lost: (() => void) | undefined;
    near.on('data', (piece: Buffer) => {
      for (const message of client.take(piece)) {
        const statements = watch.sent(message);
        if (lost !== undefined) return;
        const losing = statements === undefined ? undefined : this.#takeLosing(statements);
        if (losing === undefined) far.write(message.bytes);
        else {
          lost = () => losing.done(statements ?? '');
          this.#lose(losing, near, far, message.bytes);
        }
      }
    });
    far.on('data', (piece: Buffer) => {
      const isAnswered = server.take(piece).filter((message) => watch.answered(message)).length > 0;
      if (lost === undefined) near.write(piece);
      else if (isAnswered) far.destroy();
    });
    near.on('close', () => lost ?? far.destroy());
    far.on('close', () => {
      near.destroy();
      lost?.();
    });
  }

  #takeLosing(statements: string): LostAnswer | undefined {
    const losing = this.#losing;
    if (losing === undefined || losing.matching?.test(statements) === false) return undefined;
    this.#losing = undefined;
    return losing;
  }

  /** Keeps the server's side open until it has answered. */
  #lose({ lateMs, refusedMs }: LostAnswer, near: Socket, far: Socket, commit: Buffer): void {
    this.#sockets.delete(far);
    const breakOff = () => {
      near.destroy();
      this.refuse();
      if (refusedMs !== undefined) this.#mending = setTimeout(() => this.mend(), refusedMs);
    };
    if (lateMs === undefined) {
      far.once('close', breakOff);
      far.write(commit);
      return;
    }
    breakOff();
    setTimeout(() => far.write(commit), lateMs);
  }

  #destroyAll(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  #keep(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => this.#sockets.delete(socket));
  }
}

function socketOf(url: string): string {
  return join(new URL(url.replace('@/', '@local/')).searchParams.get('host') ?? '', socketName);
}
