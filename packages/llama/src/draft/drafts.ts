// The target's side of drafting: requests a draft as soon as a sequence has drawn a token, and hands out drafts as they arrive, so that the
// target verifies some while others are drafted (P2 §4.2).

import { Counter } from '@coppice/core/base';
import type { Generation } from '../batch/generation.ts';
import type { Run } from '../batch/run.ts';
import type { Draft, DraftJob } from './draft-model.ts';

export interface DraftOptions {
  readonly model: string;
  readonly tokens: number;
  /** Drafting stops while more sequences than this run: with a full batch it gains nothing. */
  readonly mostSequences: number;
  /** `inline` drafts for all branches in the target's own thread, between two of its decodes; `thread` drafts while it verifies. */
  readonly where: 'thread' | 'inline';
}

// Inline: without an idle core, verifying the branches in halves costs more than drafting in parallel saves (decision 42).
export const draftDefaults = { tokens: 4, mostSequences: 4, where: 'inline' } as const;

export type ToDrafter =
  | { readonly type: 'draft'; readonly job: DraftJob }
  | { readonly type: 'forget'; readonly sequence: number }
  | { readonly type: 'release'; readonly search: string }
  | { readonly type: 'close' };

/** Sends jobs; drafts come back in any order and at any time. */
export interface DraftLink {
  readonly vocabularyHash: number;
  /** False once the other side is gone: no more drafts will come. */
  readonly alive: boolean;
  post(message: ToDrafter): void;
  receive(): Draft | undefined;
}

interface Asked {
  readonly ticket: number;
  readonly length: number;
  draft: Draft | undefined;
}

export class Drafts {
  readonly options: DraftOptions;
  readonly #link: DraftLink;
  /** The last job of each sequence, and its draft once it has arrived. */
  readonly #asked = new Map<number, Asked>();
  readonly #tickets = new Counter(0);

  constructor(options: DraftOptions, link: DraftLink) {
    this.options = options;
    this.#link = link;
  }

  get vocabularyHash(): number {
    return this.#link.vocabularyHash;
  }

  /** Appends arrived drafts and requests missing ones; returns the runs that must wait. */
  attend(runs: readonly Run[]): ReadonlySet<Run> {
    if (!this.#link.alive) return new Set();
    const drafting = runs.filter((run) => generationOf(run).draftRoom > 0);
    for (const run of drafting) if (this.#current(run) === undefined) this.#ask(run);
    this.#receive();
    return new Set(drafting.filter((run) => !this.#give(run)));
  }

  forget(sequence: number): void {
    if (this.#asked.delete(sequence)) this.#link.post({ type: 'forget', sequence });
  }

  release(search: string): void {
    this.#link.post({ type: 'release', search });
  }

  close(): void {
    this.#link.post({ type: 'close' });
  }

  /** The job for the run's current tokens. */
  #current(run: Run): Asked | undefined {
    const asked = this.#asked.get(run.sequence.id);
    return asked?.length === run.tokens.length ? asked : undefined;
  }

  #ask(run: Run): void {
    const { id: sequence, search } = run.sequence;
    const { sampling, draftSeed: seed, generatedTokens: position, draftRoom } = generationOf(run);
    const ticket = this.#tickets.take();
    const most = Math.min(this.options.tokens, draftRoom);
    const tokens = [...run.tokens];
    this.#asked.set(sequence, { ticket, length: tokens.length, draft: undefined });
    this.#link.post({ type: 'draft', job: { ticket, sequence, search, tokens, sampling, seed, position, most } });
  }

  #receive(): void {
    for (let draft = this.#link.receive(); draft !== undefined; draft = this.#link.receive()) {
      const asked = this.#asked.get(draft.sequence);
      if (asked?.ticket === draft.ticket) asked.draft = draft; // else its run has advanced or ended
    }
  }

  /** True if a draft had arrived. */
  #give(run: Run): boolean {
    const draft = this.#current(run)?.draft;
    if (draft === undefined) return false;
    for (const token of draft.tokens) run.tokens.push(token);
    run.drafted = draft.tokens.length;
    generationOf(run).offer(draft.distributions);
    return true;
  }
}

/** Every run here is a generation: readings draw nothing and get no drafts. */
function generationOf(run: Run): Generation {
  return run.sequence as Generation;
}
