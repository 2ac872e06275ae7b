// A verifier that is not asked about the end: a step that says nothing, only that the path is over. Reward models were trained
// on lines and give such a step any score, so right paths would sink at the last moment. Its reward is 1, which leaves a
// product and a minimum as they are; under any other aggregation it is scored like the rest. Not for models trained on it.

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
