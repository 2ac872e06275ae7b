// The verifier contract in virtual time: replicas that score queued steps in batches, one forward pass each, at the
// prefill cost of the reward model. With prefix reuse a pass computes only what its cache lacks; without, prompt and
// path again for each step.

import type { RequestId, Urgency } from '../../engine/engine.ts';
import { Pool } from '../../engine/sim/pool.ts';
import type { RewardSource } from '../../engine/sim/source.ts';
import type { World } from '../../engine/sim/world.ts';
import type { ScoreRequest, Verifier, VerifierCapabilities, VerifierLoad, VerifierMessage } from '../verifier.ts';
import { SimScorer, type SimScorerOptions } from './sim-scorer.ts';

export interface SimVerifierOptions extends SimScorerOptions {
  readonly replicas: number;
  /** Unless said, it does. */
  readonly looksAhead?: boolean;
}

export class SimVerifier implements Verifier {
  readonly capabilities: VerifierCapabilities;
  readonly #pool: Pool<SimScorer, VerifierMessage>;

  constructor(world: World, source: RewardSource, options: SimVerifierOptions) {
    const { reusesPrefix, looksAhead = true } = options;
    this.capabilities = { name: `sim ${options.cost.name}`, aggregation: 'product', reusesPrefix, looksAhead };
    this.#pool = new Pool('verifier', options.replicas, (answered) => new SimScorer(world, source, options, answered));
  }

  connect(post: (message: VerifierMessage) => void): void {
    this.#pool.connect(post);
  }

  score(requests: readonly ScoreRequest[]): void {
    this.#pool.hand(requests, (scorer, request) => scorer.enqueue(request));
  }

  cancel(requests: readonly RequestId[]): void {
    this.#pool.cancel(requests);
  }

  update(request: RequestId, urgency: Urgency): void {
    this.#pool.update(request, urgency);
  }

  release(search: string): void {
    this.#pool.release(search);
  }

  load(): VerifierLoad {
    return { waiting: this.#pool.replicas.reduce((sum, each) => sum + each.waiting, 0), healthy: !this.#pool.closed };
  }

  /** Time spent in forward passes, over all replicas. */
  get busyMs(): number {
    return this.#pool.replicas.reduce((sum, each) => sum + each.busyMs, 0);
  }

  /** New tokens of all forward passes. */
  get computedTokens(): number {
    return this.#pool.replicas.reduce((sum, each) => sum + each.computedTokens, 0);
  }

  async close(): Promise<void> {
    this.#pool.close();
  }
}
