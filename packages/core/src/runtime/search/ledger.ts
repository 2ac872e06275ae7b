// The tokens of one search. Each ends in one class: committed, discarded, or speculative if the program never asked for it.

import type { GenerationUsage, Lane } from '../../engine/engine.ts';
import type { Cost } from '../../log/end.ts';
import type { ScoreUsage } from '../../verifier/verifier.ts';

export class Ledger {
  #generatedTokens = 0;
  #streamedTokens = 0;
  #earlierTokens = 0;
  readonly #counts = {
    discardedTokens: 0,
    adoptedTokens: 0,
    forsakenTokens: 0,
    promptTokens: 0,
    cachedTokens: 0,
    decodedTokens: 0,
    verifierTokens: 0,
    verifierCachedTokens: 0,
    engineCalls: 0,
    verifierCalls: 0,
  };
  readonly #embedded = { embedderTokens: 0, embedderTexts: 0 };

  resumed(tokens: number): void {
    this.#earlierTokens = tokens;
  }

  get generatedTokens(): number {
    return this.#earlierTokens + this.#generatedTokens + this.#streamedTokens;
  }

  /** Tokens of an unanswered request: all that is known of one that is cut off. */
  streamed(tokens: number): void {
    this.#streamedTokens += tokens;
  }

  generated(usage: GenerationUsage, kept: boolean, streamed: number, lane: Lane): void {
    this.#streamedTokens -= streamed;
    this.#generatedTokens += usage.generatedTokens;
    if (!kept) this.discarded(usage.generatedTokens, lane);
    this.#counts.engineCalls += 1;
    this.#counts.promptTokens += usage.computedTokens;
    this.#counts.cachedTokens += usage.cachedTokens;
    this.#counts.decodedTokens += usage.decodedTokens ?? usage.generatedTokens;
  }

  scored(usage: ScoreUsage): void {
    this.#counts.verifierCalls += 1;
    this.#counts.verifierTokens += usage.computedTokens;
    this.#counts.verifierCachedTokens += usage.cachedTokens;
  }

  embedded(tokens: number): void {
    this.#embedded.embedderTexts += 1;
    this.#embedded.embedderTokens += tokens;
  }

  discarded(tokens: number, lane: Lane = 'primary'): void {
    this.#counts.discardedTokens += tokens;
    if (lane === 'speculative') this.#counts.forsakenTokens += tokens;
  }

  adopted(tokens: number): void {
    this.#counts.adoptedTokens += tokens;
  }

  cost(ghostTokens: number): Cost {
    const { discardedTokens, ...counts } = this.#counts;
    const { embedderTexts, embedderTokens } = this.#embedded;
    return {
      committedTokens: this.#generatedTokens - discardedTokens - ghostTokens,
      discardedTokens: discardedTokens + this.#streamedTokens,
      speculativeTokens: ghostTokens,
      ...counts,
      ...(embedderTexts === 0 ? {} : { embedderTokens: Math.round(embedderTokens), embedderTexts }),
    };
  }
}
