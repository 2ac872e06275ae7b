// Drafts the next tokens of several sequences with a small model, all of them in the same decodes (P2: several branches are
// drafted, the target verifies them in order of arrival). It proposes and never decides: what it says is accepted or
// replaced by the rule in generation.ts, so the target's distribution is unchanged. Its cache is its own.
import { raise } from '../../base/fault.ts';
import type { Run } from './batcher.ts';
import type { Binding } from './binding.ts';
import { Context, type ContextRow, MAX_SEQUENCES } from './context.ts';
import type { Generation } from './generation.ts';
import { Model } from './model.ts';
import { type Branch, PrefixStore } from './prefix-store.ts';
import { Sampler } from './sampler.ts';

export type DraftOptions = {
  /** Path of a GGUF file with the vocabulary of the target. */
  readonly model: string;
  /** Tokens drafted at a time. */
  readonly tokens: number;
  /** Drafting stops while more sequences than this are running: a full batch leaves nothing to gain. */
  readonly mostSequences: number;
};

export const DRAFT_DEFAULTS = { tokens: 4, mostSequences: 4 } as const;

type Size = {
  readonly kvTokens: number;
  readonly threads: number;
  readonly rowLimit: number;
  readonly flashAttention: boolean;
};
type Held = { readonly branch: Branch; readonly tokens: number[] };

export class Drafter {
  readonly options: DraftOptions;
  readonly #model: Model;
  readonly #context: Context;
  readonly #store: PrefixStore;
  readonly #sampler: Sampler;
  readonly #rowLimit: number;
  /** What its cache holds of each sequence that it has drafted for. */
  readonly #held = new Map<number, Held>();

  constructor(binding: Binding, options: DraftOptions, target: Model, size: Size) {
    this.options = options;
    this.#model = Model.load(binding, options.model);
    if (this.#model.vocabularyHash() !== target.vocabularyHash()) {
      this.#model.close();
      raise(
        'bad-setting',
        `the draft model ${options.model} has another vocabulary than ${target.path}; it must be the same`,
      );
    }
    const { kvTokens: cells, threads, rowLimit: rows, flashAttention } = size;
    this.#context = Context.create(binding, this.#model, { cells, threads, rows, flashAttention });
    this.#store = new PrefixStore(this.#context, { cells, sequences: MAX_SEQUENCES, keptLogits: 0 });
    this.#sampler = new Sampler(this.#model.vocabularySize);
    this.#rowLimit = rows;
  }

  /** Appends drafted tokens to the runs, as far as its own cache has room. */
  draft(runs: readonly Run[]): void {
    const chosen = runs.slice(0, this.#rowLimit).filter((run) => this.#catchUp(run));
    let live = chosen.filter((run) => generationOf(run).mayDraft);
    for (let round = 0; round < this.options.tokens && live.length > 0; round++) {
      if (!this.#store.reclaim(live.length, 0, () => false)) return;
      if (!this.#context.decode(live.map((run) => this.#lastRow(run)))) return;
      live = live.filter((run, index) => {
        const held = this.#held.get(run.sequence.id)!;
        const token = run.tokens.at(-1)!;
        this.#store.append(held.branch, [token]);
        held.tokens.push(token);
        run.tokens.push(generationOf(run).propose(this.#sampler, this.#context.logits(index)));
        run.drafted += 1;
        return generationOf(run).mayDraft;
      });
    }
  }

  /** The sequence is done or gone. */
  forget(id: number): void {
    const held = this.#held.get(id);
    if (held !== undefined) this.#store.drop(held.branch);
    this.#held.delete(id);
  }

  close(): void {
    this.#context.close();
    this.#model.close();
  }

  /** Brings its cache to all tokens of the run but the last; false where there is no room. */
  #catchUp(run: Run): boolean {
    const held = this.#heldBy(run);
    if (held === undefined) return false;
    const wanted = run.tokens.length - 1;
    const common = commonLength(held.tokens, run.tokens, wanted);
    this.#store.truncate(held.branch, common);
    held.tokens.length = common;
    while (held.tokens.length < wanted) {
      const start = held.tokens.length;
      const tokens = run.tokens.slice(start, Math.min(wanted, start + this.#rowLimit));
      if (!this.#store.reclaim(tokens.length + 1, 0, () => false)) return false;
      const { sequence } = held.branch;
      const rows = tokens.map((token, at): ContextRow => ({ token, position: start + at, sequence, wanted: false }));
      if (!this.#context.decode(rows)) return false;
      this.#store.append(held.branch, tokens);
      held.tokens.push(...tokens);
    }
    return this.#store.freeCells > 0;
  }

  #heldBy(run: Run): Held | undefined {
    const known = this.#held.get(run.sequence.id);
    if (known !== undefined) return known;
    if (!this.#store.reclaim(1, 1, () => false)) return undefined;
    const length = Math.min(this.#store.match(run.tokens).length, run.tokens.length - 1);
    const branch = this.#store.fork(run.tokens, length, run.sequence.search);
    const held = { branch, tokens: run.tokens.slice(0, length) };
    this.#held.set(run.sequence.id, held);
    return held;
  }

  #lastRow(run: Run): ContextRow {
    const { branch, tokens } = this.#held.get(run.sequence.id)!;
    return { token: run.tokens.at(-1)!, position: tokens.length, sequence: branch.sequence, wanted: true };
  }
}

function generationOf(run: Run): Generation {
  return run.sequence as Generation;
}

function commonLength(ours: readonly number[], theirs: readonly number[], limit: number): number {
  let common = 0;
  while (common < limit && common < ours.length && ours[common] === theirs[common]) common += 1;
  return common;
}
