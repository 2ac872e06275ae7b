// Where the tokens of one search went. Each generated token ends in exactly one class: committed, discarded or, for
// speculation that the program never asked for, speculative.

import type { GenerationUsage, Lane } from '../../engine/engine.ts';
import type { Cost } from '../../log/end.ts';
import type { ScoreUsage } from '../../verifier/verifier.ts';

export class Ledger {
  #generatedTokens = 0;
  #discardedTokens = 0;
  #adoptedTokens = 0;
  #forsakenTokens = 0;
  #promptTokens = 0;
  #cachedTokens = 0;
  #decodedTokens = 0;
  #verifierTokens = 0;
  #verifierCachedTokens = 0;
  #streamedTokens = 0;
  #engineCalls = 0;
  #verifierCalls = 0;
  #embedderTokens = 0;
  #embedderTexts = 0;

  /** Tokens that have come of a request which is not answered yet: all there is to know of one that is cut off. */
  streamed(tokens: number): void {
    this.#streamedTokens += tokens;
  }

  /** The engine's word, in the place of what was `streamed` before it. */
  generated(usage: GenerationUsage, kept: boolean, streamed: number, lane: Lane): void {
    this.#engineCalls += 1;
    this.#streamedTokens -= streamed;
    this.#generatedTokens += usage.generatedTokens;
    if (!kept) this.discarded(usage.generatedTokens, lane);
    this.#promptTokens += usage.computedTokens;
    this.#cachedTokens += usage.cachedTokens;
    this.#decodedTokens += usage.decodedTokens ?? usage.generatedTokens;
  }

  scored(usage: ScoreUsage): void {
    this.#verifierCalls += 1;
    this.#verifierTokens += usage.computedTokens;
    this.#verifierCachedTokens += usage.cachedTokens;
  }

  embedded(tokens: number): void {
    this.#embedderTexts += 1;
    this.#embedderTokens += tokens;
  }

  /** A step that was generated and then lost on its way to the tree. */
  discarded(tokens: number, lane: Lane = 'primary'): void {
    this.#discardedTokens += tokens;
    if (lane === 'speculative') this.#forsakenTokens += tokens;
  }

  /** A step that was grown ahead, and that the program has asked for. */
  adopted(tokens: number): void {
    this.#adoptedTokens += tokens;
  }

  /** Of a search that has ended. `ghostTokens`: tokens of the ghosts that are still ghosts. */
  cost(ghostTokens: number): Cost {
    return {
      committedTokens: this.#generatedTokens - this.#discardedTokens - ghostTokens,
      discardedTokens: this.#discardedTokens + this.#streamedTokens,
      speculativeTokens: ghostTokens,
      adoptedTokens: this.#adoptedTokens,
      forsakenTokens: this.#forsakenTokens,
      promptTokens: this.#promptTokens,
      cachedTokens: this.#cachedTokens,
      decodedTokens: this.#decodedTokens,
      verifierTokens: this.#verifierTokens,
      verifierCachedTokens: this.#verifierCachedTokens,
      engineCalls: this.#engineCalls,
      verifierCalls: this.#verifierCalls,
      ...(this.#embedderTexts === 0
        ? {}
        : { embedderTokens: Math.round(this.#embedderTokens), embedderTexts: this.#embedderTexts }),
    };
  }
}
