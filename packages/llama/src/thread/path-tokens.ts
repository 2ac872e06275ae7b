// Token ids of a prompt and its steps. Prompts are tokenised once; a step's own ids are used if they are of the model's vocabulary.

import { raise } from '@coppice/core/base';
import { plainTurn } from '@coppice/core/engine';
import type { Prompt, Step } from '@coppice/core/tree';
import type { Model } from '../native/model.ts';

const keptPrompts = 256;

export class PathTokens {
  readonly #model: Model;
  readonly #trustsTokenIds: boolean;
  readonly #cells: number;
  readonly #prompts = new Map<string, readonly number[]>();

  /** `tokenIdsOf`: as in CoreOptions. */
  constructor(model: Model, tokenIdsOf: 'own' | 'foreign' | number, cells: number) {
    this.#model = model;
    this.#trustsTokenIds = tokenIdsOf === 'own' || tokenIdsOf === model.vocabularyHash();
    this.#cells = cells;
  }

  get limit(): number {
    return Math.min(this.#model.contextTokens, this.#cells);
  }

  /** `marker`: tokens after every step, for a reward model. */
  of(prompt: Prompt, steps: readonly Step[], marker: readonly number[]): number[] {
    const tokens = [...this.#promptTokens(prompt)];
    for (const [at, step] of steps.entries()) {
      if (step.turn !== undefined) this.#turn(prompt, tokens, step.turn);
      if (step.turn !== undefined && step.text === '' && step.tokenIds === undefined) continue;
      const said = marker.length === 0 ? this.#stepTokens(step) : this.#withoutEnd(this.#stepTokens(step));
      if (marker.length > 0 && said.length === 0 && at > 0) continue; // only an end token: the previous verdict stands
      for (const token of said) tokens.push(token);
      for (const token of marker) tokens.push(token);
    }
    if (tokens.length === 0) raise('bad-setting', 'the prompt is empty');
    if (tokens.length >= this.limit) {
      const limit = `${this.limit} (the model allows ${this.#model.contextTokens}, kvTokens is ${this.#cells})`;
      raise('too-long', `prompt and path are ${tokens.length} tokens long; the context holds ${limit}`);
    }
    return tokens;
  }

  /** Appends a user turn; the template itself writes the token that ends the answer before it. */
  #turn(prompt: Prompt, tokens: number[], turn: string): void {
    if (prompt.kind === 'chat' && tokens.length > 0 && this.#model.endsGeneration(tokens.at(-1)!)) tokens.pop();
    const own = prompt.kind === 'chat' ? this.#model.tokenizeTurn(turn) : this.#model.tokenize(plainTurn(turn));
    for (const token of own) tokens.push(token);
  }

  #stepTokens(step: Step): readonly number[] {
    const ids = this.#trustsTokenIds ? step.tokenIds : undefined;
    return ids?.every((id) => this.#isToken(id)) ? ids : this.#model.tokenize(step.text);
  }

  /** Removes an end token: models trained with a marker read text alone. */
  #withoutEnd(tokens: readonly number[]): readonly number[] {
    return tokens.length > 0 && this.#model.endsGeneration(tokens.at(-1)!) ? tokens.slice(0, -1) : tokens;
  }

  #isToken(id: number): boolean {
    return Number.isInteger(id) && id >= 0 && id < this.#model.vocabularySize;
  }

  #promptTokens(prompt: Prompt): readonly number[] {
    const key = prompt.kind === 'text' ? `t${prompt.text}` : JSON.stringify([prompt.messages, prompt.template]);
    let tokens = this.#prompts.get(key);
    if (tokens === undefined) {
      tokens = this.#model.tokenizePrompt(prompt);
      if (this.#prompts.size >= keptPrompts) this.#prompts.delete(this.#prompts.keys().next().value!);
      this.#prompts.set(key, tokens);
    }
    return tokens;
  }
}
