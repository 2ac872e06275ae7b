// Does not ask a verifier about a blank last step, which reward models score at random. Its reward is 1, neutral for product and minimum;
// under other aggregations it is scored. Not for models trained on it.

import { VerifierInFront } from '../in-front.ts';
import type { ScoreRequest } from '../verifier.ts';

export class UnreadEnd extends VerifierInFront {
  protected override sift(requests: readonly ScoreRequest[]): readonly ScoreRequest[] {
    const { aggregation } = this.capabilities;
    const isNeutral = aggregation === 'product' || aggregation === 'minimum';
    return requests.filter((request) => {
      const { step, path } = request;
      const isEnd = isNeutral && path.length > 0 && step.end === 'eos' && step.text.trim() === '';
      if (isEnd) this.answer(request, 1);
      return !isEnd;
    });
  }
}
