// A step in generation: draws tokens, builds the text, and ends the step. Each draw depends only on the request's seed and the number of
// tokens before it, never on the batch.

import { assert, type Fault, fault, hash } from '@coppice/core/base';
import type { EngineMessage, GenerateRequest, ReadTokens, Urgency } from '@coppice/core/engine';
import type { Step, StepEnd } from '@coppice/core/tree';
import { schemaGrammar } from '../grammar/schema-grammar.ts';
import type { TokenConstraint } from '../native/grammar.ts';
import { DraftTally } from './draft-tally.ts';
import type { Sequence } from './run.ts';
import {
  type Draw,
  drawFrom,
  entropyOf,
  logProbabilityOf,
  type Sampler,
  type TokenSampling,
  uniformOf,
} from './sampler.ts';
import { type PieceOf, StepText } from './step-text.ts';

export interface Vocabulary {
  readonly pieceOf: PieceOf;
  endsGeneration(token: number): boolean;
  tokenize(text: string): number[];
  hold?(grammar: string): TokenConstraint;
}

export type GenerationResult = { readonly step: Step } | { readonly fault: Fault };

export class Generation implements Sequence {
  readonly id: number;
  readonly search: string;
  readonly parent: number;
  urgency: Urgency;
  readonly prefix: readonly number[];
  readonly sampling: TokenSampling;
  readonly #seed: number;
  readonly #maxTokens: number;
  readonly #room: number;
  readonly #vocabulary: Vocabulary;
  readonly #sampler: Sampler;
  readonly #post: (message: EngineMessage) => void;
  readonly #text: StepText;
  readonly #tokens: number[] = [];
  readonly #logprobs: number[] = [];
  readonly #constraint: TokenConstraint | undefined;
  readonly #wantsEntropy: boolean;
  readonly #wantsPieces: boolean;
  readonly #wantsRecord: boolean;
  /** Number of tokens kept as drawn, if a cut inside the next one replaced that by new tokens. */
  #drawn: number | undefined;
  #entropy: number | undefined;
  /** Distributions of the drafted tokens, in the order in which they are judged. */
  #proposals: Float64Array[] = [];
  #result: GenerationResult | undefined;
  #offered = 0;
  readonly drafts = new DraftTally();

  constructor(
    request: GenerateRequest,
    prefix: readonly number[],
    tokenLimit: number,
    parts: { readonly vocabulary: Vocabulary; readonly sampler: Sampler; post(message: EngineMessage): void },
  ) {
    this.id = request.id;
    this.search = request.search;
    this.parent = request.parent;
    this.urgency = request;
    this.prefix = prefix;
    this.#seed = request.seed;
    this.#wantsEntropy = request.needs?.entropy === true;
    this.#wantsPieces = request.needs?.pieces === true;
    this.#wantsRecord = request.needs?.record === true;
    this.#maxTokens = Math.min(request.maxTokens, tokenLimit);
    this.#room = tokenLimit;
    const { temperature, topP = 1, topK = 0, minP = 0 } = request.sampling;
    this.sampling = { temperature, topP, topK, minP };
    this.#vocabulary = parts.vocabulary;
    this.#sampler = parts.sampler;
    this.#post = parts.post;
    this.#text = new StepText(parts.vocabulary.pieceOf, request.delimiters);
    this.#constraint = request.shape && parts.vocabulary.hold?.(schemaGrammar(request.shape));
  }

  get generatedTokens(): number {
    return this.#tokens.length;
  }

  get result(): GenerationResult | undefined {
    return this.#result;
  }

  get read(): ReadTokens | undefined {
    return this.#wantsRecord ? { ids: this.prefix, drawn: this.#drawn } : undefined;
  }

  next(row: Float32Array): number | undefined {
    try {
      const { token, logProbability } = this.#draw(row);
      if (this.#wantsEntropy && this.#tokens.length === 0) this.#entropy = entropyOf(row);
      return this.accept(token, logProbability);
    } catch (error) {
      const why = (error as Error).message;
      this.#result = { fault: fault('internal', `the model gave logits that cannot be sampled: ${why}`) };
      return undefined;
    }
  }

  /** If the grammar forbids the drawn token, draws again among the allowed ones: the same distribution at far less cost. */
  #draw(row: Float32Array): Draw {
    const first = this.#sampler.draw(row, this.sampling, this.#uniform());
    if (this.#constraint === undefined) return first;
    const again = () => uniformOf(hash(this.#seed, 'held'), this.#tokens.length);
    const { token } = this.#constraint.allows(first.token)
      ? first
      : this.#sampler.draw(this.#constraint.mask(row), this.sampling, again());
    if (!this.#vocabulary.endsGeneration(token)) this.#constraint.take(token);
    return { token, logProbability: logProbabilityOf(row, token) };
  }

  /** Frees the grammar. */
  close(): void {
    this.#constraint?.close();
  }

  /** Drafted tokens that are still of use; the last token of a step is not worth a draft. */
  get draftRoom(): number {
    return this.#constraint === undefined ? Math.max(0, this.#maxTokens - this.#tokens.length - 1) : 0;
  }

  /** Seed of the drafts, different from that of the step's own draws. */
  get draftSeed(): number {
    return hash(this.#seed, 'draft');
  }

  offer(distributions: readonly Float64Array[]): void {
    this.#proposals = [...distributions];
    this.#offered = distributions.length;
  }

  /**
   * Accepts or replaces a drafted token so that the result has the target's distribution (Leviathan et al., 2023): accepts with
   * probability min(1, p/q), else draws from the part of p that exceeds q.
   */
  judge(row: Float32Array, drafted: number): number | undefined {
    const place = this.#offered - this.#proposals.length;
    const drafting = this.#proposals.shift();
    assert(drafting !== undefined, 'a drafted token has the distribution that it was drawn from');
    const wanted = this.#sampler.distribution(row, this.sampling);
    const position = this.#tokens.length;
    const ratio = wanted[drafted]! / drafting[drafted]!;
    const accepted = uniformOf(hash(this.#seed, 'accept'), position) < ratio;
    const token = accepted ? drafted : drawFrom(excess(wanted, drafting), this.#uniform());
    this.drafts.judge(place, accepted);
    if (!accepted) this.forgetProposals();
    return this.accept(token, logProbabilityOf(row, token));
  }

  forgetProposals(): void {
    this.#proposals = [];
  }

  /** Appends a drawn token. Returns it for the next decode, or undefined if it ends the step. */
  accept(token: number, logProbability: number): number | undefined {
    this.#tokens.push(token);
    this.#logprobs.push(logProbability);
    if (this.#vocabulary.endsGeneration(token)) return this.#finish('eos');
    const { added, stop } = this.#text.push(token);
    if (stop !== undefined) return this.#finishAt(stop.ends, added);
    this.#postText(added);
    return this.#tokens.length >= this.#maxTokens ? this.#finish('length') : token;
  }

  outOfCells(): void {
    this.#finish('length');
  }

  #finish(end: StepEnd): undefined {
    this.#postText(this.#text.finish());
    this.#result = { step: this.#step(this.#text.text, end) };
    return undefined;
  }

  /**
   * Ends the step at a delimiter. If it ends inside a token, the rest of that token is dropped and its part tokenised again. If that takes
   * more tokens than the step may have, the step keeps the whole token and ends by length.
   */
  #finishAt(ends: number, added: string): undefined {
    const beyond = this.#text.text.length - ends;
    const { wholeTokens, remainder } = this.#text.cutAt(ends);
    const pieces = beyond === 0 ? [] : this.#vocabulary.tokenize(remainder);
    if (beyond > 0 && wholeTokens + pieces.length > this.#maxTokens) {
      this.#postText(added);
      return this.#finish('length');
    }
    this.#postText(added.slice(0, added.length - beyond));
    if (beyond > 0) this.#replaceFrom(wholeTokens, pieces);
    // A path that fills the context ends by length: there is no room below it.
    const end = this.#tokens.length < this.#room ? 'delimiter' : 'length';
    this.#result = { step: this.#step(this.#text.text.slice(0, ends), end) };
    return undefined;
  }

  #replaceFrom(wholeTokens: number, pieces: readonly number[]): void {
    const logprob = this.#logprobs[wholeTokens] ?? 0;
    this.#drawn = wholeTokens;
    this.#tokens.length = wholeTokens;
    this.#logprobs.length = wholeTokens;
    for (const [index, token] of pieces.entries()) {
      this.#tokens.push(token);
      this.#logprobs.push(index === 0 ? logprob : 0);
    }
  }

  #step(text: string, end: StepEnd): Step {
    const tokens = this.#tokens.length;
    const sum = this.#logprobs.reduce((total, logprob) => total + logprob, 0);
    const lists = { tokenIds: this.#tokens, logprobs: this.#logprobs };
    const entropy = this.#entropy === undefined ? {} : { entropy: this.#entropy };
    const pieces = this.#wantsPieces ? { pieces: this.#piecesOf(text, end) } : {};
    return {
      text,
      tokens,
      meanLogprob: tokens === 0 ? 0 : sum / tokens,
      end,
      ...lists,
      ...entropy,
      ...pieces,
    };
  }

  #piecesOf(text: string, end: StepEnd): string[] {
    if (end !== 'eos') return this.#text.pieces(this.#tokens.length, text.length);
    return this.#tokens.length === 1 ? [text] : [...this.#text.pieces(this.#tokens.length - 1, text.length), ''];
  }

  #postText(text: string): void {
    if (text === '') return;
    this.#post({ type: 'token', request: this.id, text, tokens: this.#tokens.length });
  }

  #uniform(): number {
    return uniformOf(this.#seed, this.#tokens.length);
  }
}

/** The part of `wanted` that exceeds `drafting`, normalised. Plain loops: with vocabularies of 150,000 tokens callbacks take seven times as long. */
function excess(wanted: Float64Array, drafting: Float64Array): Float64Array {
  const rest = new Float64Array(wanted.length);
  let sum = 0;
  for (let token = 0; token < wanted.length; token += 1) {
    const more = Math.max(0, wanted[token]! - drafting[token]!);
    rest[token] = more;
    sum += more;
  }
  if (sum <= 0) return wanted; // equal distributions: only rounding rejected the token
  for (let token = 0; token < rest.length; token += 1) rest[token] = rest[token]! / sum;
  return rest;
}
