// The verifier contract in virtual time: replicas that score queued steps in batches, one forward pass each, at the
// prefill cost of the reward model. With prefix reuse a pass computes only what its cache lacks; without, prompt and
// path again for each step. A search stays with one replica.

import { assert } from '../../base/assert.ts';
import { fault } from '../../base/fault.ts';
import type { RequestId } from '../../engine/engine.ts';
import type { RewardSource } from '../../engine/sim/source.ts';
import type { World } from '../../engine/sim/world.ts';
import type { ScoreRequest, Verifier, VerifierCapabilities, VerifierLoad, VerifierMessage } from '../verifier.ts';
import { Scorer, type ScorerOptions } from './scorer.ts';

export interface SimVerifierOptions extends ScorerOptions {
  readonly replicas: number;
}

export class SimVerifier implements Verifier {
  readonly capabilities: VerifierCapabilities;
  readonly #scorers: Scorer[] = [];
  readonly #searchesOn: number[];
  readonly #homes = new Map<string, number>();
  readonly #askedOf = new Map<RequestId, Scorer>();
  #post: ((message: VerifierMessage) => void) | undefined;
  #closed = false;

  constructor(world: World, source: RewardSource, options: SimVerifierOptions) {
    assert(options.replicas >= 1, 'a verifier has a replica');
    const { reusesPrefix } = options;
    this.capabilities = { name: `sim ${options.cost.name}`, aggregation: 'product', reusesPrefix };
    this.#searchesOn = new Array<number>(options.replicas).fill(0);
    const answered = (message: VerifierMessage): void => {
      this.#askedOf.delete(message.request);
      this.#post?.(message);
    };
    for (let at = 0; at < options.replicas; at += 1) this.#scorers.push(new Scorer(world, source, options, answered));
  }

  connect(post: (message: VerifierMessage) => void): void {
    assert(this.#post === undefined, 'a verifier is connected once');
    this.#post = post;
  }

  score(requests: readonly ScoreRequest[]): void {
    for (const request of requests) {
      if (this.#closed) this.#refuseClosed(request.id);
      else this.#enqueue(request);
    }
  }

  cancel(requests: readonly RequestId[]): void {
    for (const id of requests) this.#askedOf.get(id)?.cancel(id);
  }

  release(search: string): void {
    const home = this.#homes.get(search);
    if (home === undefined) return;
    this.#homes.delete(search);
    this.#searchesOn[home]! -= 1;
    this.#scorers[home]!.release(search);
  }

  load(): VerifierLoad {
    return { waiting: this.#scorers.reduce((sum, each) => sum + each.waiting, 0), healthy: !this.#closed };
  }

  /** Time spent in forward passes, over all replicas. */
  get busyMs(): number {
    return this.#scorers.reduce((sum, each) => sum + each.busyMs, 0);
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const [id, scorer] of [...this.#askedOf]) scorer.cancel(id);
  }

  #enqueue(request: ScoreRequest): void {
    let home = this.#homes.get(request.search);
    if (home === undefined) {
      home = this.#searchesOn.indexOf(Math.min(...this.#searchesOn));
      this.#homes.set(request.search, home);
      this.#searchesOn[home]! += 1;
    }
    const scorer = this.#scorers[home]!;
    this.#askedOf.set(request.id, scorer);
    scorer.enqueue(request);
  }

  #refuseClosed(request: RequestId): void {
    const reason = fault('unavailable', 'the verifier is closed', { retryable: false });
    this.#post?.({ type: 'fault', request, fault: reason });
  }
}
