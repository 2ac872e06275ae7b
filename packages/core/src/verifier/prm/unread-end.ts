// Does not ask a verifier about a blank last step, which reward models score at random. Its reward is 1, neutral for product and minimum;
// under other aggregations it is scored. Not for models trained on it.

import { VerifierInFront } from '../in-front.ts';
import type { ScoreRequest } from '../verifier.ts';

export class UnreadEnd extends VerifierInFront {
  protected override sift(requests: readonly ScoreRequest[]): readonly ScoreRequest[] {
    return requests.filter((request) => {
      const isEnd = this.#isEnd(request);
      if (isEnd) this.answer(request, 1);
      return !isEnd;
    });
  }

  #isEnd({ step, path }: ScoreRequest): boolean {
    const { aggregation } = this.capabilities;
    const isNeutral = aggregation === 'product' || aggregation === 'minimum';
    return isNeutral && path.length > 0 && step.end === 'eos' && step.text.trim() === '';
  }
}
