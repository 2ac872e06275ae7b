// Where the tokens of one search went. Each generated token ends in exactly one class: committed, discarded or, for
// speculation that the program never asked for, speculative.

import type { GenerationUsage } from '../engine/engine.ts';
import type { Cost } from '../log/end.ts';
import type { ScoreUsage } from '../verifier/verifier.ts';

export class Ledger {
  #generatedTokens = 0;
  #discardedTokens = 0;
  #promptTokens = 0;
  #cachedTokens = 0;
  #verifierTokens = 0;
  #verifierCachedTokens = 0;
  #engineCalls = 0;
  #verifierCalls = 0;

  generated(usage: GenerationUsage, kept: boolean): void {
    this.#engineCalls += 1;
    this.#generatedTokens += usage.generatedTokens;
    if (!kept) this.#discardedTokens += usage.generatedTokens;
    this.#promptTokens += usage.computedTokens;
    this.#cachedTokens += usage.cachedTokens;
  }

  scored(usage: ScoreUsage): void {
    this.#verifierCalls += 1;
    this.#verifierTokens += usage.computedTokens;
    this.#verifierCachedTokens += usage.cachedTokens;
  }

  /** A step that was generated and then lost on its way to the tree. */
  discarded(tokens: number): void {
    this.#discardedTokens += tokens;
  }

  /** `ghostTokens`: tokens of the ghosts that are still ghosts. */
  cost(ghostTokens: number): Cost {
    return {
      committedTokens: this.#generatedTokens - this.#discardedTokens - ghostTokens,
      discardedTokens: this.#discardedTokens,
      speculativeTokens: ghostTokens,
      promptTokens: this.#promptTokens,
      cachedTokens: this.#cachedTokens,
      verifierTokens: this.#verifierTokens,
      verifierCachedTokens: this.#verifierCachedTokens,
      engineCalls: this.#engineCalls,
      verifierCalls: this.#verifierCalls,
    };
  }
}
