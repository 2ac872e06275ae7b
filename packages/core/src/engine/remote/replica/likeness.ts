// The replicas of one engine must share the model's name and source, the tokenizer (by the tokens of a tricky text), and what the engine
// promised to searches. A server that differs gets no work.

import { type Fault, fault } from '../../../base/fault.ts';
import type { EngineCapabilities } from '../../engine.ts';
import { type Renderer, sameTokens, type Tokens, tokenize } from '../dialect/render.ts';

/** Vocabularies differ on such text. */
const sampleText = 'The 1234 trees, 56.7 % of 8901,  grow naïvely: 木が三本 🌳\n';

type Promised = Pick<EngineCapabilities, 'contextTokens' | 'logprobs'>;

export class Likeness {
  readonly #model: Renderer;
  readonly #tokens: Tokens | undefined;
  #promised: Promised = { contextTokens: undefined, logprobs: false };

  private constructor(model: Renderer, tokens: Tokens | undefined) {
    this.#model = model;
    this.#tokens = tokens;
  }

  static async of(model: Renderer): Promise<Likeness> {
    return new Likeness(model, await sampleTokens(model));
  }

  promise({ contextTokens, logprobs }: Promised): void {
    this.#promised = { contextTokens, logprobs };
  }

  async difference(other: Renderer): Promise<Fault | undefined> {
    const told = this.#toldDifference(other);
    if (told !== undefined) return refusal(other, told);
    const tokens = this.#tokens && (await sampleTokens(other));
    if (this.#tokens === undefined || tokens === undefined || sameTokens(tokens, this.#tokens)) return undefined;
    return refusal(
      other,
      `divides text into other tokens than ${this.#model.connection.url}: it has another tokenizer`,
    );
  }

  #toldDifference({ facts }: Renderer): string | undefined {
    const { facts: own } = this.#model;
    if (facts.model !== own.model) return `serves '${facts.model}', not '${own.model}'`;
    // Servers of two kinds name the files of the same weights differently.
    const isTold = facts.dialect === own.dialect && facts.loadedFrom !== undefined && own.loadedFrom !== undefined;
    if (isTold && facts.loadedFrom !== own.loadedFrom)
      return `serves '${facts.loadedFrom}' under the name '${own.model}', where the others serve '${own.loadedFrom}'`;
    const { contextTokens = 0, logprobs } = this.#promised;
    if ((facts.contextTokens ?? contextTokens) < contextTokens)
      return `has a context of ${facts.contextTokens} tokens, and searches count on ${contextTokens}`;
    return logprobs && !facts.logprobs ? 'tells no log probabilities, and the others do' : undefined;
  }
}

function refusal({ connection }: Renderer, why: string): Fault {
  return fault('refused', `${connection.url} ${why}; it gets no work`);
}

async function sampleTokens(renderer: Renderer): Promise<Tokens | undefined> {
  if (renderer.dialect.tokenize === undefined) return undefined;
  try {
    return await tokenize(sampleText, renderer);
  } catch {
    return undefined;
  }
}
