// Measures decode times on this machine, on the idle engine's own context: the points of a cost table (cost/table.ts). Sequences share their whole
// context, like most branches of a tree. Points are measured in turn, round after round, and the median counts, so a neighbour's burst spoils one
// round and not one point. Time is bounded; points that did not fit are left out. The clocks are arguments.

import { median } from '@coppice/core/base';
import type { MeasuredPoints } from '@coppice/core/cost';
import type { Context, ContextRow } from './context.ts';

export interface MeasurementOptions {
  readonly name: string;
  readonly nowMs: () => number;
  /** Processor time of this thread, if it does the computing; a busy neighbour does not lengthen it. */
  readonly processorMs?: () => number;
  readonly budgetMs: number;
  readonly rowLimit: number;
  readonly bulkRows: number;
  readonly cells: number;
  readonly contextTokens: number;
  /** Cached tokens before the new ones: none for prompts, a path for the steps that a verifier reads. */
  readonly prefillBelow: number;
  /** Adjacent cells of one sequence in the cache: one if many decode at once, a step's tokens if steps are read. */
  readonly blockTokens: number;
  /** Uses the logits of each wanted row, which is part of a step's cost. */
  readonly useLogits: (logits: Float32Array) => void;
}

const batches = [1, 2, 4, 8, 16, 24, 32, 48, 63] as const;
const contexts = [64, 256, 1024] as const;
const smallContext = 8; // for caches too small for the others
const prefills = [1, 2, 4, 8, 16, 32, 63, 128, 256, 512] as const;
const leastPrefills = 6; // measured even beyond the budget: the slope needs them
const otherSequences = 12; // sequences of the shortest context beside the measured one, as a few searches hold
const rounds = 9;
const pointRepetitions = 2; // per point and round: the first decode of a new shape may have to build its graph
const decodeShare = 0.6; // of the budget; the rest is for prefills
const exactProcessorMs = 40; // some kernels count processor time in ticks of 4 ms
const anyToken = 5; // the time does not depend on the token

export function measureCost(context: Context, options: MeasurementOptions): MeasuredPoints {
  return new Measurement(context, options).run();
}

class Measurement {
  readonly #context: Context;
  readonly #options: MeasurementOptions;
  readonly #startMs: number;
  readonly #contexts: readonly number[];
  readonly #batches: readonly number[];
  readonly #prefills: readonly number[];
  /** Time that other sequences' tokens added to one batch, by round. */
  readonly #unreadMs: number[] = [];
  /** Samples by point: `context batch`, `prefill tokens`, `unread`. */
  readonly #samples = new Map<string, { readonly tookMs: number[]; processorMs: number }>();

  constructor(context: Context, options: MeasurementOptions) {
    const { cells, contextTokens, rowLimit, bulkRows, prefillBelow } = options;
    this.#context = context;
    this.#options = options;
    this.#startMs = options.nowMs();
    const fitting = contexts.filter((each) => each < contextTokens && each + rowLimit * pointRepetitions <= cells);
    this.#contexts = fitting.length > 0 ? fitting : [smallContext];
    this.#batches = batches.filter((batch) => batch <= rowLimit);
    const longest = Math.min(contextTokens, cells) - prefillBelow;
    this.#prefills = prefills.filter((each) => each <= Math.min(bulkRows, longest));
  }

  run(): MeasuredPoints {
    this.#fill(0, Math.min(this.#prefills.at(-1)!, 63)); // the first decode also loads the weights into memory
    this.#context.remove(0, 0);
    for (let round = 0; round < rounds && (round === 0 || this.#within(1)); round += 1) {
      for (const shared of this.#contexts) this.#measureColumn(shared);
      this.#measureUnread();
      this.#measurePrefills();
    }
    const prefill = undisturbed(this.#prefills.map((tokens) => this.#typical(`prefill ${tokens}`)));
    const unreadTokenMs = this.#unreadTokenMs();
    return {
      name: this.#options.name,
      contexts: this.#contexts,
      decode: this.#decodeRows(),
      prefill: prefill.map((ms, at) => [this.#prefills[at]!, ms] as const),
      ...(unreadTokenMs === undefined ? {} : { unreadTokenMs }),
    };
  }

  /** Decodes every batch size over one shared context; fewer if time runs out. */
  #measureColumn(shared: number): void {
    this.#fill(0, shared);
    for (const [at, batch] of this.#batches.entries()) {
      if (at > 1 && !this.#within(decodeShare)) break;
      this.#decode(`${shared} ${batch}`, batch, shared);
    }
    this.#context.remove(0, 0);
  }

  /** Times one batch over the shortest context, first in a cache with other sequences in between, then alone. */
  #measureUnread(): void {
    const { cells, rowLimit } = this.#options;
    const shared = this.#contexts[0]!;
    const room = shared * (1 + otherSequences) + rowLimit * pointRepetitions;
    if (shared === smallContext || room > cells || !this.#within(decodeShare)) return;
    const sequences = [0, ...Array.from({ length: otherSequences }, (_, at) => rowLimit + at)];
    this.#growTogether(sequences, shared);
    const fullMs = this.#decode('unread', this.#unreadBatch, shared);
    for (const sequence of sequences) this.#context.remove(sequence, 0);
    this.#fill(0, shared);
    this.#unreadMs.push(fullMs - this.#decode(`${shared} ${this.#unreadBatch}`, this.#unreadBatch, shared));
    this.#context.remove(0, 0);
  }

  /** A middling batch: small ones show little, and large ones are rare. */
  get #unreadBatch(): number {
    return this.#batches[Math.floor(this.#batches.length / 2)]!;
  }

  #measurePrefills(): void {
    const { prefillBelow } = this.#options;
    this.#fill(0, prefillBelow);
    for (const [at, tokens] of this.#prefills.entries()) {
      if (at >= leastPrefills && !this.#within(1)) break;
      for (let time = 0; time < pointRepetitions; time += 1) this.#prefill(tokens, prefillBelow);
    }
    this.#context.remove(0, 0);
  }

  /** Returns the shortest of the repetitions. */
  #decode(point: string, batch: number, shared: number): number {
    let shortestMs = Number.POSITIVE_INFINITY;
    for (let sequence = 1; sequence < batch; sequence += 1) this.#context.copy(0, sequence, 0, shared);
    for (let position = shared; position < shared + pointRepetitions; position += 1) {
      const rows = Array.from({ length: batch }, (_, sequence) => row(sequence, position, true));
      const tookMs = this.#time(point, () => {
        this.#context.decode(rows);
        for (let index = 0; index < batch; index += 1) this.#options.useLogits(this.#context.logits(index));
      });
      shortestMs = Math.min(shortestMs, tookMs);
    }
    for (let sequence = 1; sequence < batch; sequence += 1) this.#context.remove(sequence, 0);
    this.#context.remove(0, shared);
    return shortestMs;
  }

  #prefill(tokens: number, below: number): void {
    const rows = Array.from({ length: tokens }, (_, at) => row(0, below + at, at === tokens - 1));
    this.#time(`prefill ${tokens}`, () => this.#context.decode(rows));
    this.#context.remove(0, below);
  }

  #fill(sequence: number, tokens: number): void {
    const chunk = this.#options.bulkRows;
    for (let start = 0; start < tokens; start += chunk) {
      const count = Math.min(chunk, tokens - start);
      const rows = Array.from({ length: count }, (_, at) => row(sequence, start + at, start + at === tokens - 1));
      this.#context.decode(rows);
    }
  }

  #growTogether(sequences: readonly number[], tokens: number): void {
    const { blockTokens } = this.#options;
    for (let start = 0; start < tokens; start += blockTokens) {
      const count = Math.min(blockTokens, tokens - start);
      const rows = sequences.flatMap((sequence) =>
        Array.from({ length: count }, (_, at) => row(sequence, start + at, at === count - 1)),
      );
      this.#context.decode(rows);
    }
  }

  #within(share: number): boolean {
    return this.#options.nowMs() - this.#startMs < share * this.#options.budgetMs;
  }

  #time(point: string, action: () => void): number {
    const { nowMs, processorMs = () => 0 } = this.#options;
    const sample = this.#samples.get(point) ?? { tookMs: [], processorMs: 0 };
    this.#samples.set(point, sample);
    const [startMs, ownMs] = [nowMs(), processorMs()];
    action();
    const tookMs = nowMs() - startMs;
    sample.tookMs.push(tookMs);
    sample.processorMs += processorMs() - ownMs;
    return tookMs;
  }

  /** The median, or the mean processor time if that is shorter and long enough to be exact. */
  #typical(point: string): number | undefined {
    const sample = this.#samples.get(point);
    if (sample === undefined) return undefined;
    const medianMs = median(sample.tookMs);
    if (sample.processorMs < exactProcessorMs) return medianMs;
    return Math.min(medianMs, sample.processorMs / sample.tookMs.length);
  }

  /** A row ends at the first column that has no time for it. */
  #decodeRows(): MeasuredPoints['decode'] {
    const columns = this.#contexts.map((shared) =>
      undisturbed(this.#batches.map((batch) => this.#typical(`${shared} ${batch}`))),
    );
    return this.#batches.slice(0, columns[0]!.length).map((batch, at) => {
      const times = columns.map((column) => column[at]);
      const end = times.indexOf(undefined);
      return [batch, ...(times.slice(0, end < 0 ? times.length : end) as number[])] as const;
    });
  }

  #unreadTokenMs(): number | undefined {
    if (this.#unreadMs.length === 0) return undefined;
    return Math.max(0, median(this.#unreadMs)) / (this.#unreadBatch * otherSequences * this.#contexts[0]!);
  }
}

/** The times up to the first missing one. More rows never take less time: any excess over a larger size is due to other processes. */
function undisturbed(times: readonly (number | undefined)[]): readonly number[] {
  const end = times.indexOf(undefined);
  const known = (end < 0 ? times : times.slice(0, end)) as readonly number[];
  return known.map((_, at) => Math.min(...known.slice(at)));
}

function row(sequence: number, position: number, wanted: boolean): ContextRow {
  return { token: anyToken, position, sequence, wanted };
}
