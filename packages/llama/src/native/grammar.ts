// A libllama grammar: masks tokens that may not come next, and advances by one token. Holds native memory until `close`. Never take a
// forbidden token: the library would end the process.

import { raise } from '@coppice/core/base';
import type { Binding, Pointer } from './binding.ts';

export interface TokenConstraint {
  allows(token: number): boolean;
  /** Masks forbidden tokens with minus infinity; valid until the next call. */
  mask(logits: Float32Array): Float32Array;
  take(token: number): void;
  close(): void;
}

// llama_token_data is {int32 id; float logit; float p}; llama_token_data_array is {data*; size_t size; int64 selected; bool sorted}.
const entryWords = 3;
const arrayBytes = 32;

/** Buffer to ask about all tokens of a vocabulary. One per model is enough, because its thread asks one question at a time. */
export class TokenTable {
  readonly #binding: Binding;
  readonly #entries: Int32Array;
  readonly #logits: Float32Array;
  readonly #array = new BigInt64Array(arrayBytes / 8);
  readonly masked: Float32Array;

  constructor(binding: Binding, vocabularySize: number) {
    this.#binding = binding;
    this.#entries = new Int32Array(vocabularySize * entryWords);
    this.#logits = new Float32Array(this.#entries.buffer);
    this.masked = new Float32Array(vocabularySize);
    this.#array[0] = binding.address(new Uint8Array(this.#entries.buffer));
  }

  one(sampler: Pointer, token: number): boolean {
    this.#setEntry(0, token, 0);
    this.#apply(sampler, 1);
    return Number.isFinite(this.#logits[1]!);
  }

  all(sampler: Pointer, logits: Float32Array): Float32Array {
    for (let token = 0; token < logits.length; token += 1) this.#setEntry(token, token, logits[token]!);
    this.#apply(sampler, logits.length);
    for (let token = 0; token < logits.length; token += 1) this.masked[token] = this.#logits[token * entryWords + 1]!;
    return this.masked;
  }

  #setEntry(at: number, token: number, logit: number): void {
    this.#entries[at * entryWords] = token;
    this.#logits[at * entryWords + 1] = logit;
  }

  #apply(sampler: Pointer, size: number): void {
    this.#array[1] = BigInt(size);
    this.#array[2] = -1n;
    this.#array[3] = 0n;
    this.#binding.applySampler(sampler, new Uint8Array(this.#array.buffer));
  }
}

export class Grammar implements TokenConstraint {
  readonly #binding: Binding;
  readonly #table: TokenTable;
  readonly #sampler: Pointer;
  #closed = false;

  constructor(binding: Binding, vocabulary: Pointer, table: TokenTable, source: string) {
    const sampler = binding.createGrammar(vocabulary, source, 'root');
    if (sampler === null) raise('unsupported', 'libllama cannot read the grammar of this schema');
    this.#binding = binding;
    this.#table = table;
    this.#sampler = sampler as Pointer;
  }

  allows(token: number): boolean {
    return this.#table.one(this.#sampler, token);
  }

  mask(logits: Float32Array): Float32Array {
    return this.#table.all(this.#sampler, logits);
  }

  take(token: number): void {
    this.#binding.acceptToken(this.#sampler, token);
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#binding.freeSampler(this.#sampler);
  }
}
