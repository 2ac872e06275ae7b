// Scores a step by how sure the generator was of it: the geometric mean of its tokens' probabilities. It costs nothing and
// knows nothing: a model that is sure of a mistake scores it high. Made for `mean`, so that no rule takes it for a bound.

import { VerifierAtOnce } from '../at-once.ts';
import { noUsage, type ScoreRequest, type VerifierCapabilities, type VerifierMessage } from '../verifier.ts';

export class ConfidenceVerifier extends VerifierAtOnce {
  readonly capabilities: VerifierCapabilities = {
    name: 'confidence',
    aggregation: 'mean',
    reusesPrefix: true,
    readsLogprobs: true,
  };

  protected answerTo({ id, step }: ScoreRequest): VerifierMessage {
    const reward = Math.min(1, Math.exp(step.meanLogprob));
    return { type: 'score', request: id, reward, usage: noUsage };
  }
}
