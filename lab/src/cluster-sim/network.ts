// The network in virtual time: requests of a node arrive at a server a moment later, and so do its answers. A server that is down
// refuses; one that goes down breaks off what it has; a node that dies closes its connections. Carries requests for the production
// `Connection`, which sees no difference to sockets.

import type { SentRequest, Transport, WireResponse } from 'coppice/internals';
import { latencyMs } from './costs.ts';
import type { VirtualTime } from './virtual-time.ts';

/** A process that sends requests: busy until then, and told of answers in its turn. */
export interface Sender {
  readonly isDead: boolean;
  /** A call is made. Gives when it leaves. */
  sends(): number;
  run(callback: () => void): void;
}

/** What a server is given, and answers by. */
export interface VirtualExchange {
  readonly request: SentRequest;
  readonly isClosed: boolean;
  /** Called when the sender has gone. */
  onClose: () => void;
  /** One piece of the answer; the first one carries its status. */
  write(piece: string): void;
  end(piece?: string): void;
  fail(code: 'ECONNRESET' | 'ECONNREFUSED'): void;
}

export interface NetworkServer {
  receive(exchange: VirtualExchange): void;
}

/** The answer as node:http would give it. */
class VirtualResponse {
  readonly statusCode = 200;
  readonly headers = {};
  readonly #listeners = new Map<string, (value: unknown) => void>();

  on(event: string, listener: (value: unknown) => void): this {
    this.#listeners.set(event, listener);
    return this;
  }

  setEncoding(): this {
    return this;
  }

  destroy(): void {}

  tell(event: 'data' | 'end' | 'error', value?: unknown): void {
    this.#listeners.get(event)?.(value);
  }
}

export class Network {
  readonly #time: VirtualTime;
  readonly #servers = new Map<string, NetworkServer>();
  readonly #open = new Map<Sender, Set<() => void>>();

  constructor(time: VirtualTime) {
    this.#time = time;
  }

  add(url: string, server: NetworkServer): void {
    this.#servers.set(new URL(url).host, server);
  }

  /** What a node's connections to a server go over. */
  transport(sender: Sender, url: string): Transport {
    const server = this.#servers.get(new URL(url).host)!;
    return { open: (request, failed, answered) => this.#send(sender, server, request, failed, answered), close() {} };
  }

  /** The node is dead: its servers see closed connections. */
  cut(sender: Sender): void {
    for (const close of [...(this.#open.get(sender) ?? [])]) close();
    this.#open.delete(sender);
  }

  #send(
    sender: Sender,
    server: NetworkServer,
    request: SentRequest,
    failed: (error: Error) => void,
    answered: (response: WireResponse) => void,
  ): { destroy(): void } {
    const time = this.#time;
    let isOver = false;
    let response: VirtualResponse | undefined;
    const open = this.#openOf(sender);
    const back = (act: () => void) => time.after(latencyMs, () => (isOver ? false : sender.run(() => isOver || act())));
    const over = () => {
      isOver = true;
      open.delete(close);
    };
    const pieceOf = (piece: string) => {
      if (response === undefined) {
        response = new VirtualResponse();
        answered(response as unknown as WireResponse);
      }
      if (piece !== '') response.tell('data', Buffer.from(piece));
    };
    const exchange: VirtualExchange = {
      request,
      get isClosed() {
        return isOver;
      },
      onClose: () => {},
      write: (piece) => back(() => pieceOf(piece)),
      end: (piece = '') =>
        back(() => {
          over();
          pieceOf(piece);
          response?.tell('end');
        }),
      fail: (code) =>
        back(() => {
          over();
          const error = Object.assign(new Error(code), { code });
          if (response === undefined) failed(error);
          else response.tell('error', error);
        }),
    };
    const close = () => {
      if (isOver) return;
      over();
      time.after(latencyMs, () => {
        exchange.onClose();
        return false;
      });
    };
    open.add(close);
    time.at(sender.sends() + latencyMs, () => {
      if (!isOver) server.receive(exchange);
      return false;
    });
    return { destroy: close };
  }

  #openOf(sender: Sender): Set<() => void> {
    const known = this.#open.get(sender) ?? new Set();
    this.#open.set(sender, known);
    return known;
  }
}
