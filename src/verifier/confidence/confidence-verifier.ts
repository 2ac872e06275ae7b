// Scores a step by how sure the generator was of it: the geometric mean of its tokens' probabilities. It costs nothing and
// knows nothing: a model that is sure of a mistake scores it high. Made for `mean`, so that no rule takes it for a bound.

import type { RequestId } from '../../engine/engine.ts';
import type { ScoreRequest, Verifier, VerifierCapabilities, VerifierLoad, VerifierMessage } from '../verifier.ts';

const noUsage = { computedTokens: 0, cachedTokens: 0 } as const;

export class ConfidenceVerifier implements Verifier {
  readonly capabilities: VerifierCapabilities = {
    name: 'confidence',
    aggregation: 'mean',
    reusesPrefix: true,
    readsLogprobs: true,
  };
  #post: ((message: VerifierMessage) => void) | undefined;

  connect(post: (message: VerifierMessage) => void): void {
    this.#post = post;
  }

  score(requests: readonly ScoreRequest[]): void {
    for (const { id, step } of requests) {
      const reward = Math.min(1, Math.exp(step.meanLogprob));
      this.#post?.({ type: 'score', request: id, reward, usage: noUsage });
    }
  }

  cancel(_requests: readonly RequestId[]): void {}

  release(_search: string): void {}

  load(): VerifierLoad {
    return { waiting: 0, healthy: true };
  }

  async close(): Promise<void> {}
}
