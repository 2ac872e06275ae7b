// What the replicas of one engine must have in common, as far as a server tells: the model by its name and by what it was loaded
// from, the tokenizer by the tokens of a text that tokenizers divide in different ways, and what the engine has promised to its
// searches. A server that differs would continue paths with other words: it gets no work, and one line says why.

import { type Fault, fault } from '../../../base/fault.ts';
import type { EngineCapabilities } from '../../engine.ts';
import { type Renderer, type Tokens, tokenize } from '../dialect/render.ts';

/** Digits in a row, a point, spaces, accents, another script, a sign of four bytes: where vocabularies part. */
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

  /** Why it cannot stand in for the others; nothing where it can. */
  async difference(other: Renderer): Promise<Fault | undefined> {
    const told = this.#toldDifference(other);
    if (told !== undefined) return refusal(other, told);
    const tokens = this.#tokens && (await sampleTokens(other));
    if (this.#tokens === undefined || tokens === undefined || same(tokens, this.#tokens)) return undefined;
    return refusal(
      other,
      `divides text into other tokens than ${this.#model.connection.url}: it has another tokenizer`,
    );
  }

  #toldDifference({ facts }: Renderer): string | undefined {
    const { facts: own } = this.#model;
    if (facts.model !== own.model) return `serves '${facts.model}', not '${own.model}'`;
    // Servers of two kinds have the same weights in files of different names.
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

/** Undefined where its server cannot be asked, or does not say. */
async function sampleTokens(renderer: Renderer): Promise<Tokens | undefined> {
  if (renderer.dialect.tokenize === undefined) return undefined;
  try {
    return await tokenize(sampleText, renderer);
  } catch {
    return undefined;
  }
}

function same(a: Tokens, b: Tokens): boolean {
  return a.length === b.length && a.every((token, at) => token === b[at]);
}
