// A line to a PostgreSQL socket that a test can cut: for whoever connects through it the database is silent, as behind a
// broken network, until it is mended. What was on its way then is gone.

import { mkdtempSync, rmSync } from 'node:fs';
import { createConnection, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const socketName = '.s.PGSQL.5432';

export class CutLine {
  /** As the database's own, by this line. */
  readonly url: string;
  readonly #folder = mkdtempSync(join(tmpdir(), 'coppice-line-'));
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #isCut = false;
  #target: string;

  constructor(url: string) {
    this.#target = socketOf(url);
    this.#server = createServer((near) => this.#join(near)).listen(join(this.#folder, socketName));
    this.url = url.replace(/host=[^&]*/, `host=${encodeURIComponent(this.#folder)}`);
  }

  /** To another server from now on. */
  lead(url: string): void {
    this.#target = socketOf(url);
    this.mend();
  }

  cut(): void {
    this.#isCut = true;
    for (const socket of this.#sockets) socket.unpipe().pause();
  }

  mend(): void {
    this.#isCut = false;
    for (const socket of this.#sockets) socket.destroy();
  }

  close(): void {
    this.mend();
    this.#server.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #join(near: Socket): void {
    this.#keep(near);
    if (this.#isCut) return void near.pause();
    const far = createConnection(this.#target);
    this.#keep(far);
    near.pipe(far);
    far.pipe(near);
    near.on('close', () => far.destroy());
    far.on('close', () => near.destroy());
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
