// The replicas of a simulated engine or verifier. A search goes to the replica with the fewest searches and stays there, so that its
// prefixes are cached. Each request gets exactly one answer, also when the pool closes.

import { assert, type Fault, fault } from '@coppice/core/base';
import type { RequestId, Urgency } from '@coppice/core/engine';

interface PoolReplica {
  cancel(request: RequestId): void;
  update(request: RequestId, urgency: Urgency): void;
  release(search: string): void;
}

interface PoolFault {
  readonly type: 'fault';
  readonly request: RequestId;
  readonly fault: Fault;
}

export abstract class Pool<Replica extends PoolReplica, Message extends { readonly request: RequestId }> {
  protected readonly replicas: readonly Replica[];
  readonly #of: 'engine' | 'verifier';
  readonly #searchesOn: number[];
  readonly #homes = new Map<string, number>();
  readonly #replicaOf = new Map<RequestId, Replica>();
  #post: ((message: Message | PoolFault) => void) | undefined;
  #closed = false;

  constructor(
    of: 'engine' | 'verifier',
    size: number,
    make: (answered: (message: Message) => void, at: number) => Replica,
  ) {
    assert(size >= 1, `the ${of} has a replica`);
    this.#of = of;
    this.#searchesOn = new Array<number>(size).fill(0);
    const answered = (message: Message): void => {
      this.#replicaOf.delete(message.request);
      this.#post?.(message);
    };
    this.replicas = Array.from({ length: size }, (_, at) => make(answered, at));
  }

  protected get closed(): boolean {
    return this.#closed;
  }

  connect(post: (message: Message | PoolFault) => void): void {
    assert(this.#post === undefined, `the ${this.#of} is connected once`);
    this.#post = post;
  }

  /** Gives each request to the replica of its search; a closed pool refuses. */
  protected distribute<Request extends { readonly id: RequestId; readonly search: string }>(
    requests: readonly Request[],
    enqueue: (replica: Replica, request: Request) => void,
  ): void {
    for (const request of requests) {
      if (this.#closed) {
        const reason = fault('unavailable', `the ${this.#of} is closed`, false);
        this.#post?.({ type: 'fault', request: request.id, fault: reason });
        continue;
      }
      const replica = this.replicas[this.#homeOf(request.search)]!;
      this.#replicaOf.set(request.id, replica);
      enqueue(replica, request);
    }
  }

  cancel(requests: readonly RequestId[]): void {
    for (const id of requests) this.#replicaOf.get(id)?.cancel(id);
  }

  update(request: RequestId, urgency: Urgency): void {
    this.#replicaOf.get(request)?.update(request, urgency);
  }

  release(search: string): void {
    const home = this.#homes.get(search);
    if (home === undefined) return;
    this.#homes.delete(search);
    this.#searchesOn[home]! -= 1;
    this.replicas[home]!.release(search);
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.cancel([...this.#replicaOf.keys()]);
  }

  #homeOf(search: string): number {
    let home = this.#homes.get(search);
    if (home === undefined) {
      home = this.#searchesOn.indexOf(Math.min(...this.#searchesOn));
      this.#homes.set(search, home);
      this.#searchesOn[home]! += 1;
    }
    return home;
  }
}
