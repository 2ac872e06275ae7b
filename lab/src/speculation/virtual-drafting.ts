// Drafting in virtual time: the embedded engine's own batcher, target side and draft queue, with models that only take time and draw chances in place
// of words. The times of decodes are given, and a drafted token is accepted with a given probability.

import { Random } from '@coppice/core/base';
import { Batcher } from '@coppice/llama/batch';
import { DraftQueue, Drafts } from '@coppice/llama/draft';
import { PrefixStore } from '@coppice/llama/prefix-cache';

type BatchedSequence = Parameters<Batcher['add']>[0];
type WrittenRun = ReturnType<Batcher['plan']>[number]['run'];
type DeskModel = ConstructorParameters<typeof DraftQueue>[0];
type DeskLink = ConstructorParameters<typeof Drafts>[1];
type ReadyDraft = ReturnType<DraftQueue['draft']>[number];

/** Times of decodes. */
export interface DraftingCosts {
  readonly name: string;
  /** The target's decode of so many rows of so many sequences. */
  targetMs(rows: number, sequences: number): number;
  /** The draft model's decode of one token for so many sequences. */
  draftMs(sequences: number): number;
}

export interface DraftingSetup {
  /** Sequences that are to be written, each of so many tokens. */
  readonly sequences: number;
  readonly tokens: number;
  /** `none`: every token is the target's own. */
  readonly where: 'none' | 'inline' | 'thread';
  /** Tokens drafted at a time. */
  readonly drafted: number;
  /** Chance that a drafted token is accepted. */
  readonly acceptance: number;
  /** The target decodes one sequence at a time, as P2's does. */
  readonly oneByOne?: boolean;
  /** Only one sequence is written at a time: the next begins where it has ended. */
  readonly serial?: boolean;
}

/** Milliseconds until all sequences are written. */
export function draftingMs(costs: DraftingCosts, setup: DraftingSetup): number {
  const clock = { ms: 0 };
  const link = setup.where === 'thread' ? new ApartLink(costs, clock) : new InStepLink(costs, clock);
  const drafts = new Drafts({ model: '', tokens: setup.drafted, mostSequences: most, where: 'inline' }, link);
  const batcher = new Batcher(new PrefixStore(noMemory, { cells: 1e9, sequences: 256, keptLogits: 0 }), {
    runningLimit: setup.serial ? 1 : most,
    bulkRows: 512,
    rowLimit: setup.oneByOne ? setup.drafted + 1 : 1e6,
    ...(setup.where === 'none' ? {} : { draft: (runs: readonly WrittenRun[]) => drafts.attend(runs) }),
  });
  for (let id = 0; id < setup.sequences; id += 1) batcher.add(new WrittenSequence(id, setup));
  const onComplete = ({ sequence }: WrittenRun) => drafts.forget(sequence.id);
  while (batcher.hasWork) {
    const batch = batcher.plan(onComplete);
    if (batch.length === 0) clock.ms = Math.max(clock.ms, link.nextMs ?? clock.ms);
    clock.ms += batch.length === 0 ? 0 : costs.targetMs(batch.length, sequencesOf(batch));
    batcher.commit(batch, () => noLogits, onComplete);
  }
  return clock.ms;
}

const most = 256;
const noLogits = new Float32Array(0);
const noMemory = { copy: () => {}, remove: () => {}, bury: () => {}, sweep: () => {} };

function sequencesOf(batch: ReturnType<Batcher['plan']>): number {
  return new Set(batch.map(({ run }) => run)).size;
}

/** Writes so many tokens and judges drafts by chance; what the batcher and Drafts read of a generation. */
class WrittenSequence implements BatchedSequence {
  readonly id: number;
  readonly search: string;
  readonly parent: number;
  readonly urgency = { lane: 'primary', priority: 0 } as const;
  readonly prefix: readonly number[];
  readonly sampling = { temperature: 1, topP: 1, topK: 0, minP: 0 };
  readonly draftSeed = 0;
  readonly #tokens: number;
  readonly #acceptance: number;
  readonly #chance: Random;
  generatedTokens = 0;

  constructor(id: number, { tokens, acceptance }: DraftingSetup) {
    this.id = id;
    this.search = String(id);
    this.parent = id;
    this.prefix = [id];
    this.#tokens = tokens;
    this.#acceptance = acceptance;
    this.#chance = new Random('accepted', id);
  }

  get draftRoom(): number {
    return Math.max(0, this.#tokens - this.generatedTokens - 1);
  }

  next(): number | undefined {
    return this.#write(this.generatedTokens);
  }

  judge(_row: Float32Array, drafted: number): number | undefined {
    return this.#write(this.#chance.chance(this.#acceptance) ? drafted : drafted + 1);
  }

  #write(token: number): number | undefined {
    this.generatedTokens += 1;
    return this.generatedTokens >= this.#tokens ? undefined : token;
  }

  offer(): void {}
  forgetProposals(): void {}
  outOfCells(): void {}
}

/** The draft model's part: as many tokens as are wanted, whatever they say. */
const drafter = {
  draft: (jobs: Parameters<DeskModel['draft']>[0]): ReadyDraft[] =>
    jobs.map(({ ticket, sequence, most }) => {
      const tokens = Array.from({ length: most }, (_, at) => at);
      return { ticket, sequence, tokens, distributions: tokens.map(() => noDistribution) };
    }),
  forget: () => {},
  release: () => {},
  close: () => {},
};
const noDistribution = new Float64Array(0);

interface VirtualMoment {
  ms: number;
}

function draftingTime(costs: DraftingCosts, drafts: readonly ReadyDraft[]): number {
  if (drafts.length === 0) return 0;
  return Math.max(...drafts.map(({ tokens }) => tokens.length)) * costs.draftMs(drafts.length);
}

/** Drafts while the target waits, as InlineDraftLink. */
class InStepLink implements DeskLink {
  readonly vocabularyHash = 0;
  readonly alive = true;
  readonly nextMs = undefined;
  readonly #queue = new DraftQueue(drafter);
  readonly #costs: DraftingCosts;
  readonly #clock: VirtualMoment;
  readonly #ready: ReadyDraft[] = [];

  constructor(costs: DraftingCosts, clock: VirtualMoment) {
    this.#costs = costs;
    this.#clock = clock;
  }

  post(message: Parameters<DraftQueue['take']>[0]): void {
    this.#queue.take(message);
  }

  receive(): ReadyDraft | undefined {
    const drafts = this.#queue.draft();
    this.#clock.ms += draftingTime(this.#costs, drafts);
    this.#ready.push(...drafts);
    return this.#ready.shift();
  }
}

/** Drafts for half of the sequences at a time while the target computes, as the draft model's own thread. */
class ApartLink implements DeskLink {
  readonly vocabularyHash = 0;
  readonly alive = true;
  readonly #queue = new DraftQueue(drafter);
  readonly #costs: DraftingCosts;
  readonly #clock: VirtualMoment;
  /** What is drafted, and when it will be there. */
  #coming: { readonly atMs: number; readonly draft: ReadyDraft }[] = [];
  #freeMs = 0;

  constructor(costs: DraftingCosts, clock: VirtualMoment) {
    this.#costs = costs;
    this.#clock = clock;
  }

  /** When the next draft will be there; undefined where none is on its way. */
  get nextMs(): number | undefined {
    return this.#coming[0]?.atMs;
  }

  post(message: Parameters<DraftQueue['take']>[0]): void {
    if (this.#queue.waiting === 0) this.#freeMs = Math.max(this.#freeMs, this.#clock.ms);
    this.#queue.take(message);
  }

  receive(): ReadyDraft | undefined {
    while (this.#freeMs <= this.#clock.ms && this.#queue.waiting > 0) {
      const drafts = this.#queue.draft(Math.ceil(this.#queue.sequences / 2));
      this.#freeMs += draftingTime(this.#costs, drafts);
      for (const draft of drafts) this.#coming.push({ atMs: this.#freeMs, draft });
    }
    return (this.nextMs ?? Number.POSITIVE_INFINITY) <= this.#clock.ms ? this.#coming.shift()!.draft : undefined;
  }
}
