// A verifier whose steps are computed first: one that states a false equation between plain numbers scores 0 at once, without a
// call; the rest go to the verifier behind it. A reward model of any size guesses at large products; a calculator does not.
// Never sees a gold answer, and says nothing about steps without equations.

import { type EquationOptions, falseEquation } from '../../answer/equations.ts';
import type { RequestId } from '../../engine/engine.ts';
import type { ScoreRequest, Verifier, VerifierCapabilities, VerifierLoad, VerifierMessage } from '../verifier.ts';

const noUsage = { computedTokens: 0, cachedTokens: 0 } as const;

export class CheckedVerifier implements Verifier {
  readonly capabilities: VerifierCapabilities;
  readonly #behind: Verifier;
  readonly #equations: EquationOptions;
  #post: ((message: VerifierMessage) => void) | undefined;

  constructor(behind: Verifier, equations: EquationOptions = {}) {
    this.#behind = behind;
    this.#equations = equations;
    this.capabilities = { ...behind.capabilities, name: `${behind.capabilities.name}, arithmetic checked` };
  }

  connect(post: (message: VerifierMessage) => void): void {
    this.#post = post;
    this.#behind.connect(post);
  }

  score(requests: readonly ScoreRequest[]): void {
    const open: ScoreRequest[] = [];
    for (const request of requests) {
      if (falseEquation(request.step.text, this.#equations) === undefined) open.push(request);
      else this.#post?.({ type: 'score', request: request.id, reward: 0, usage: noUsage });
    }
    if (open.length > 0) this.#behind.score(open);
  }

  cancel(requests: readonly RequestId[]): void {
    this.#behind.cancel(requests);
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
