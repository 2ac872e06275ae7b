// Scores a step by how sure the generator was of it: the geometric mean of its tokens' probabilities. It costs nothing and
// knows nothing: a model that is sure of a mistake scores it high. Made for `mean`, so that no rule takes it for a bound.

import { defineVerifier } from '../definition.ts';

export const confidence = defineVerifier({
  name: 'confidence',
  summary: 'how sure the generator was of its tokens',
  aggregation: 'mean',
  readsLogprobs: true,
  make:
    () =>
    ({ step }) =>
      Math.min(1, Math.exp(step.meanLogprob)),
});
