// The network in virtual time: requests and answers arrive a moment later. A server that is down refuses; one that goes down breaks off its requests;
// a node that dies closes its connections. It carries requests for the production `Connection`, which notices no difference to sockets.

import type { Transport } from '@coppice/core/remote';
import { latencyMs } from './costs.ts';
import type { VirtualTime } from './virtual-time.ts';

type CarriedRequest = Parameters<Transport['open']>[0];
type CarriedAnswer = Parameters<Parameters<Transport['open']>[2]>[0];

/** A process that sends requests: they leave when it is free, and it gets answers in its turn. */
export interface Sender {
  readonly isDead: boolean;
  /** A call is made. Gives when it leaves. */
  sends(): number;
  run(callback: () => void): void;
}

/** What a server gets, and how it answers. */
export interface VirtualExchange {
  readonly request: CarriedRequest;
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

type Listener = (value: unknown) => void;

/** The answer as node:http would give it. */
class VirtualResponse {
  readonly statusCode = 200;
  readonly headers = {};
  #data: Listener | undefined;
  #end: Listener | undefined;
  #error: Listener | undefined;

  on(event: 'data' | 'end' | 'error', listener: Listener): this {
    if (event === 'data') this.#data = listener;
    else if (event === 'end') this.#end = listener;
    else this.#error = listener;
    return this;
  }

  setEncoding(): this {
    return this;
  }

  destroy(): void {}

  tell(event: 'data' | 'end' | 'error', value?: unknown): void {
    if (event === 'data') this.#data?.(value);
    else if (event === 'end') this.#end?.(value);
    else this.#error?.(value);
  }
}

/** What one request has on its way: the server's side of it, and the sender's. */
class OpenExchange implements VirtualExchange {
  readonly request: CarriedRequest;
  onClose: () => void = () => {};
  readonly #time: VirtualTime;
  readonly #sender: Sender;
  readonly #open: Set<OpenExchange>;
  readonly #failed: (error: Error) => void;
  readonly #answered: (response: CarriedAnswer) => void;
  #response: VirtualResponse | undefined;
  #isOver = false;

  constructor(
    time: VirtualTime,
    [sender, open]: readonly [Sender, Set<OpenExchange>],
    request: CarriedRequest,
    failed: (error: Error) => void,
    answered: (response: CarriedAnswer) => void,
  ) {
    this.request = request;
    this.#time = time;
    this.#sender = sender;
    this.#open = open;
    this.#failed = failed;
    this.#answered = answered;
    open.add(this);
  }

  get isClosed(): boolean {
    return this.#isOver;
  }

  write(piece: string): void {
    this.#back(() => this.#tell(piece));
  }

  end(piece = ''): void {
    this.#back(() => {
      this.#over();
      this.#tell(piece);
      this.#response?.tell('end');
    });
  }

  fail(code: 'ECONNRESET' | 'ECONNREFUSED'): void {
    this.#back(() => {
      this.#over();
      const error = Object.assign(new Error(code), { code });
      if (this.#response === undefined) this.#failed(error);
      else this.#response.tell('error', error);
    });
  }

  /** The sender has gone. */
  destroy(): void {
    if (this.#isOver) return;
    this.#over();
    this.#time.after(latencyMs, () => {
      this.onClose();
      return false;
    });
  }

  /** A way later, in the sender's turn. */
  #back(act: () => void): void {
    this.#time.after(latencyMs, () => (this.#isOver ? false : this.#sender.run(() => this.#isOver || act())));
  }

  #over(): void {
    this.#isOver = true;
    this.#open.delete(this);
  }

  #tell(piece: string): void {
    if (this.#response === undefined) {
      this.#response = new VirtualResponse();
      this.#answered(this.#response as unknown as CarriedAnswer);
    }
    if (piece !== '') this.#response.tell('data', Buffer.from(piece));
  }
}

export class Network {
  readonly #time: VirtualTime;
  readonly #servers = new Map<string, NetworkServer>();
  readonly #open = new Map<Sender, Set<OpenExchange>>();

  constructor(time: VirtualTime) {
    this.#time = time;
  }

  add(url: string, server: NetworkServer): void {
    this.#servers.set(new URL(url).host, server);
  }

  /** What a node's connections to a server go over. */
  transport(sender: Sender, url: string): Transport {
    const server = this.#servers.get(new URL(url).host)!;
    const open = this.#openOf(sender);
    return {
      open: (request, failed, answered) => {
        const exchange = new OpenExchange(this.#time, [sender, open], request, failed, answered);
        this.#time.at(sender.sends() + latencyMs, () => {
          if (!exchange.isClosed) server.receive(exchange);
          return false;
        });
        return exchange;
      },
      close() {},
    };
  }

  /** The node is dead: its servers see closed connections. */
  cut(sender: Sender): void {
    for (const exchange of [...this.#openOf(sender)]) exchange.destroy();
    this.#open.delete(sender);
  }

  #openOf(sender: Sender): Set<OpenExchange> {
    const known = this.#open.get(sender) ?? new Set();
    this.#open.set(sender, known);
    return known;
  }
}
