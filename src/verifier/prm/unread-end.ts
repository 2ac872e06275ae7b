// A verifier that is not asked about the end: a step that says nothing, only that the path is over. Reward models were trained
// on lines and give such a step any score, so right paths would sink at the last moment. Its reward is 1, which leaves a
// product and a minimum as they are; under any other aggregation it is scored like the rest. Not for models trained on it.

import type { RequestId, Urgency } from '../../engine/engine.ts';
import type { ScoreRequest, Verifier, VerifierCapabilities, VerifierLoad, VerifierMessage } from '../verifier.ts';

const noUsage = { computedTokens: 0, cachedTokens: 0 } as const;

export class UnreadEnd implements Verifier {
  readonly capabilities: VerifierCapabilities;
  readonly #behind: Verifier;
  #post: ((message: VerifierMessage) => void) | undefined;

  constructor(behind: Verifier) {
    this.#behind = behind;
    this.capabilities = behind.capabilities;
  }

  connect(post: (message: VerifierMessage) => void): void {
    this.#post = post;
    this.#behind.connect(post);
  }

  score(requests: readonly ScoreRequest[]): void {
    const open = requests.filter((request) => !this.#isEnd(request));
    if (open.length > 0) this.#behind.score(open);
    for (const request of requests) {
      if (this.#isEnd(request)) this.#post?.({ type: 'score', request: request.id, reward: 1, usage: noUsage });
    }
  }

  #isEnd({ step, path }: ScoreRequest): boolean {
    const { aggregation } = this.capabilities;
    const isNeutral = aggregation === 'product' || aggregation === 'minimum';
    return isNeutral && path.length > 0 && step.end === 'eos' && step.text.trim() === '';
  }

  cancel(requests: readonly RequestId[]): void {
    this.#behind.cancel(requests);
  }

  update(request: RequestId, urgency: Urgency): void {
    this.#behind.update?.(request, urgency);
  }

  release(search: string): void {
    this.#behind.release(search);
  }

  load(): VerifierLoad {
    return this.#behind.load();
  }

  close(): Promise<void> {
    return this.#behind.close();
  }
}
