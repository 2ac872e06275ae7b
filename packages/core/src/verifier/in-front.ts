// A verifier in front of another, which knows some rewards itself.

import type { RequestId, Urgency } from '../engine/engine.ts';
import {
  freeScore,
  type ScoreRequest,
  type Verifier,
  type VerifierCapabilities,
  type VerifierLoad,
  type VerifierMessage,
} from './verifier.ts';

export abstract class VerifierInFront implements Verifier {
  readonly capabilities: VerifierCapabilities;
  readonly #behind: Verifier;
  #post: ((message: VerifierMessage) => void) | undefined;

  constructor(behind: Verifier, capabilities = behind.capabilities) {
    this.#behind = behind;
    this.capabilities = capabilities;
  }

  protected abstract sift(requests: readonly ScoreRequest[]): readonly ScoreRequest[];

  protected told(message: VerifierMessage): VerifierMessage {
    return message;
  }

  protected answer({ id }: ScoreRequest, reward: number, feedback?: string): void {
    this.#post?.(freeScore(id, { reward, feedback }));
  }

  connect(post: (message: VerifierMessage) => void): void {
    this.#post = post;
    this.#behind.connect((message) => post(this.told(message)));
  }

  score(requests: readonly ScoreRequest[]): void {
    const open = this.sift(requests);
    if (open.length > 0) this.#behind.score(open);
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
