// Room for those who speak. A connection counts as silent until it has sent a whole request, and again once that has been
// answered. When there is no room for another, the one that has been silent for longest is closed; where nobody is
// silent, the newcomer is. So idle sockets, however many and however slowly they trickle, never lock anyone out.

import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export class Connections {
  readonly #limit: number;
  /** Every open connection with the request that it is at. */
  readonly #open = new Map<Socket, IncomingMessage | undefined>();
  /** Those that were silent when last seen, longest first. */
  readonly #silent = new Set<Socket>();
  #closed = 0;

  constructor(server: Server, limit: number) {
    this.#limit = limit;
    server.on('connection', (socket) => this.#enter(socket));
    server.on('request', (request, response) => this.#spoken(request, response));
  }

  get open(): number {
    return this.#open.size;
  }

  /** Closed to make room, since the start. */
  get closedForRoom(): number {
    return this.#closed;
  }

  #enter(socket: Socket): void {
    if (this.#open.size >= this.#limit) this.#makeRoom(socket);
    if (socket.destroyed) return;
    this.#open.set(socket, undefined);
    this.#silent.add(socket);
    socket.once('close', () => {
      this.#open.delete(socket);
      this.#silent.delete(socket);
    });
  }

  #spoken(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    this.#open.set(socket, request);
    response.once('close', () => {
      if (socket.destroyed || this.#open.get(socket) !== request) return;
      this.#open.set(socket, undefined);
      this.#silent.delete(socket);
      this.#silent.add(socket);
    });
  }

  #makeRoom(newcomer: Socket): void {
    this.#closed += 1;
    for (const socket of this.#silent) {
      this.#silent.delete(socket);
      // It has its request together by now, and waits for our answer.
      if (this.#open.get(socket)?.complete === true) continue;
      this.#open.delete(socket);
      socket.destroy();
      return;
    }
    newcomer.destroy();
  }
}
