// The verifier contract in virtual time. Replicas score queued steps in batches: one forward pass at the reward model's prefill cost.
// With prefix reuse a pass computes only the tokens that its cache lacks.

import type {
  ScoreRequest,
  Verifier,
  VerifierCapabilities,
  VerifierLoad,
  VerifierMessage,
} from '@coppice/core/verifier';
import { Pool } from '../engine/pool.ts';
import type { SharedGpu } from '../engine/shared-gpu.ts';
import type { RewardSource } from '../engine/source.ts';
import type { World } from '../engine/world.ts';
import { SimScorer, type SimScorerOptions } from './sim-scorer.ts';

export interface SimVerifierOptions extends Omit<SimScorerOptions, 'gpu'> {
  readonly replicas: number;
  readonly gpus?: readonly SharedGpu[];
  readonly looksAhead?: boolean;
}

export class SimVerifier extends Pool<SimScorer, VerifierMessage> implements Verifier {
  readonly capabilities: VerifierCapabilities;

  constructor(world: World, source: RewardSource, options: SimVerifierOptions) {
    super('verifier', options.replicas, (answered, at) => {
      const gpu = options.gpus?.[at];
      return new SimScorer(world, source, { ...options, ...(gpu && { gpu }) }, answered);
    });
    const { reusesPrefix, looksAhead = true } = options;
    this.capabilities = { name: `sim ${options.cost.name}`, aggregation: 'product', reusesPrefix, looksAhead };
  }

  score(requests: readonly ScoreRequest[]): void {
    this.distribute(requests, (scorer, request) => scorer.enqueue(request));
  }

  load(): VerifierLoad {
    return { waiting: this.replicas.reduce((sum, each) => sum + each.waiting, 0), healthy: !this.closed };
  }

  get busyMs(): number {
    return this.replicas.reduce((sum, each) => sum + each.busyMs, 0);
  }

  get computedTokens(): number {
    return this.replicas.reduce((sum, each) => sum + each.computedTokens, 0);
  }
}
