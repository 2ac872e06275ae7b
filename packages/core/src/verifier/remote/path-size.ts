// Estimates how many tokens a server computes for one score: characters that are new to it, times tokens per character so far.

import type { ScoreRequest } from '../verifier.ts';

const firstRatio = 0.3;
const smoothing = 0.1;
const formatCharacters = 80;

export class PathSize {
  readonly #reusesPrefix: boolean;
  #tokensPerCharacter = firstRatio;

  constructor(reusesPrefix: boolean) {
    this.#reusesPrefix = reusesPrefix;
  }

  tokens(request: ScoreRequest): number {
    return Math.ceil(this.#characters(request) * this.#tokensPerCharacter);
  }

  observe(requests: readonly ScoreRequest[], computedTokens: number): void {
    if (computedTokens <= 0) return;
    const characters = requests.reduce((sum, each) => sum + this.#characters(each), 0);
    this.#tokensPerCharacter += (computedTokens / characters - this.#tokensPerCharacter) * smoothing;
  }

  #characters({ prompt, path, step }: ScoreRequest): number {
    if (this.#reusesPrefix) return formatCharacters + step.text.length;
    const question =
      prompt.kind === 'text'
        ? prompt.text.length
        : prompt.messages.reduce((sum, { content }) => sum + content.length, 0);
    const steps = path.reduce((sum, each) => sum + each.step.text.length, step.text.length);
    return formatCharacters + question + steps;
  }
}
