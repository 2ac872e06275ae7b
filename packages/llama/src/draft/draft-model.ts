// The draft model: a small model with its own cache that proposes the next tokens of several sequences in the same decodes (P2 §4.1). The rule
// in generation.ts accepts or replaces them, so a wrong, late or missing draft only costs time.

import { Context, type ContextRow, maxSequences } from '../batch/context.ts';
import { drawFrom, Sampler, type TokenSampling, uniformOf } from '../batch/sampler.ts';
import type { Binding } from '../native/binding.ts';
import { Model } from '../native/model.ts';
import { type Branch, commonLength } from '../prefix-cache/cache-segment.ts';
import { PrefixStore } from '../prefix-cache/prefix-store.ts';

export interface DraftJob {
  readonly ticket: number;
  readonly sequence: number;
  readonly search: string;
  readonly tokens: readonly number[];
  readonly sampling: TokenSampling;
  /** A draw depends only on seed and position. */
  readonly seed: number;
  readonly position: number;
  readonly most: number;
}

/** Drafted tokens, each with the distribution it was drawn from; empty if the model's cache had no room. */
export interface Draft {
  readonly ticket: number;
  readonly sequence: number;
  readonly tokens: readonly number[];
  readonly distributions: readonly Float64Array[];
}

export interface DraftModelSize {
  readonly kvTokens: number;
  readonly threads: number;
  readonly rowLimit: number;
  readonly flashAttention: boolean;
}

interface Held {
  readonly branch: Branch;
  readonly tokens: number[];
}
interface Drafting {
  readonly job: DraftJob;
  readonly held: Held | undefined;
  readonly tokens: number[];
  readonly distributions: Float64Array[];
}

export class DraftModel {
  readonly #model: Model;
  readonly #context: Context;
  readonly #store: PrefixStore;
  readonly #sampler: Sampler;
  readonly #rowLimit: number;
  #computedRows = 0;
  readonly #held = new Map<number, Held>();

  constructor(binding: Binding, path: string, { kvTokens: cells, threads, rowLimit, flashAttention }: DraftModelSize) {
    this.#model = Model.load(binding, path);
    try {
      this.#context = Context.create(binding, this.#model, { cells, threads, rows: rowLimit, flashAttention });
    } catch (error) {
      this.#model.close();
      throw error;
    }
    this.#store = new PrefixStore(this.#context, { cells, sequences: maxSequences, keptLogits: 0 });
    this.#sampler = new Sampler(this.#model.vocabularySize);
    this.#rowLimit = rowLimit;
  }

  get vocabularyHash(): number {
    return this.#model.vocabularyHash();
  }

  get computedRows(): number {
    return this.#computedRows;
  }

  get counts(): { readonly sequences: number; readonly usedCells: number; readonly branches: number } {
    const { usedCells, branches } = this.#store;
    return { sequences: this.#held.size, usedCells, branches };
  }

  draft(jobs: readonly DraftJob[]): Draft[] {
    const drafting = jobs.map((job): Drafting => ({ job, held: this.#catchUp(job), tokens: [], distributions: [] }));
    let live = drafting.filter(({ held }) => held !== undefined).slice(0, this.#rowLimit >> 1);
    while (live.length > 0) {
      const rows = live.flatMap(rowsOf);
      if (!this.#store.reclaim(rows.length, 0, () => false) || !this.#compute(rows)) break;
      live = live.filter((each, index) => this.#draw(each, this.#context.logits(index)));
    }
    return drafting.map(({ job: { ticket, sequence }, tokens, distributions }) => {
      return { ticket, sequence, tokens, distributions };
    });
  }

  /** Keeps an ended sequence's cells for the steps below it, until room is short or its search is released. */
  forget(sequence: number): void {
    const held = this.#held.get(sequence);
    if (held !== undefined) this.#store.settle(held.branch);
    this.#held.delete(sequence);
  }

  release(search: string): void {
    this.#store.release(search);
  }

  close(): void {
    this.#context.close();
    this.#model.close();
  }

  #compute(rows: readonly ContextRow[]): boolean {
    this.#computedRows += rows.length;
    return this.#context.decode(rows);
  }

  #draw(drafting: Drafting, row: Float32Array): boolean {
    const { job, held, tokens, distributions } = drafting;
    const computed = lacking(drafting);
    this.#store.append(held!.branch, computed);
    held!.tokens.push(...computed);
    const distribution = this.#sampler.distribution(row, job.sampling);
    tokens.push(drawFrom(distribution, uniformOf(job.seed, job.position + tokens.length)));
    distributions.push(distribution);
    return tokens.length < job.most;
  }

  /**
   * Fills the cache up to the last one or two tokens; undefined if there is no room. Two are left after a draft that was accepted whole; they
   * share a decode with those of the other sequences.
   */
  #catchUp({ sequence, search, tokens }: DraftJob): Held | undefined {
    const held = this.#held.get(sequence) ?? this.#begin(sequence, search, tokens);
    if (held === undefined) return undefined;
    const wanted = tokens.length - 1;
    const common = commonLength(held.tokens, tokens, 0, wanted);
    this.#store.truncate(held.branch, common);
    held.tokens.length = common;
    while (held.tokens.length < wanted - 1) {
      const start = held.tokens.length;
      const missing = tokens.slice(start, Math.min(wanted, start + this.#rowLimit));
      if (!this.#store.reclaim(missing.length + 1, 0, () => false)) return undefined;
      const rows = missing.map((token, at): ContextRow => {
        return { token, position: start + at, sequence: held.branch.sequence, wanted: false };
      });
      if (!this.#compute(rows)) return undefined;
      this.#store.append(held.branch, missing);
      held.tokens.push(...missing);
    }
    return this.#store.freeCells > 0 ? held : undefined;
  }

  #begin(sequence: number, search: string, tokens: readonly number[]): Held | undefined {
    if (!this.#store.reclaim(1, 1, () => false)) return undefined;
    const length = Math.min(this.#store.match(tokens).length, tokens.length - 1);
    const held = { branch: this.#store.fork(tokens, length, search), tokens: tokens.slice(0, length) };
    this.#held.set(sequence, held);
    return held;
  }
}

/** Rows for the one or two missing tokens; only the last one's logits are wanted. */
function rowsOf(drafting: Drafting): ContextRow[] {
  const { branch, tokens: cached } = drafting.held!;
  const missing = lacking(drafting);
  return missing.map((token, at) => {
    const position = cached.length + at;
    return { token, position, sequence: branch.sequence, wanted: at === missing.length - 1 };
  });
}

function lacking({ job, held, tokens }: Drafting): readonly number[] {
  return tokens.length > 0 ? tokens.slice(-1) : job.tokens.slice(held!.tokens.length);
}
