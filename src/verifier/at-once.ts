// A verifier that computes its answer on the spot: nothing waits, so there is nothing to cancel, to release or to close.

import type { RequestId } from '../engine/engine.ts';
import type { ScoreRequest, Verifier, VerifierCapabilities, VerifierLoad, VerifierMessage } from './verifier.ts';

export abstract class VerifierAtOnce implements Verifier {
  abstract readonly capabilities: VerifierCapabilities;
  #post: ((message: VerifierMessage) => void) | undefined;

  protected abstract answerTo(request: ScoreRequest): VerifierMessage;

  connect(post: (message: VerifierMessage) => void): void {
    this.#post = post;
  }

  score(requests: readonly ScoreRequest[]): void {
    for (const request of requests) this.#post?.(this.answerTo(request));
  }

  cancel(_requests: readonly RequestId[]): void {}

  release(_search: string): void {}

  load(): VerifierLoad {
    return { waiting: 0, healthy: true };
  }

  async close(): Promise<void> {}
}
