// What decodes cost on this machine, measured on the engine's own context while nothing else runs: the points of a cost
// table (cost/table.ts). Sequences share their whole context, as the branches of a tree mostly do. Bounded in time; a
// point that did not fit into it is left out. The clock is an argument.
import type { MeasuredPoints } from '../../cost/table.ts';
import type { Context, ContextRow } from './context.ts';

export type MeasurementOptions = {
  readonly name: string;
  readonly nowMs: () => number;
  /** Processor time of this thread, where that is what computes; a busy neighbour does not lengthen it. */
  readonly processorMs?: () => number;
  /** No new point is begun after so long. */
  readonly budgetMs: number;
  readonly rowLimit: number;
  readonly bulkRows: number;
  readonly cells: number;
  /** The longest sequence that the model knows. */
  readonly contextTokens: number;
  /** What the engine does with the logits of each row that was wanted: part of what a step costs. */
  readonly useLogits: (logits: Float32Array) => void;
};

const BATCHES = [1, 2, 4, 8, 16, 24, 32, 48, 63] as const;
const CONTEXTS = [64, 256, 1024] as const;
const SMALL_CONTEXT = 8; // for caches that are too small for the others
const PREFILLS = [8, 16, 32, 63, 128, 256, 512] as const;
const REPETITIONS = 4;
const DECODE_SHARE = 0.6; // of the time; the rest is for prefills
const LEAST_PREFILLS = 4; // whatever they take: the slope must be there
const EXACT_PROCESSOR_MS = 40; // some kernels count processor time in ticks of 4 ms
const ANY_TOKEN = 5; // the time does not depend on which one

export function measureCost(context: Context, options: MeasurementOptions): MeasuredPoints {
  const startMs = options.nowMs();
  const within = (share: number) => () => options.nowMs() - startMs < share * options.budgetMs;
  const largest = Math.min(options.bulkRows, options.cells);
  prefillOnce(context, Math.min(largest, 64), options); // the first decode pays for touching the weights
  const known = CONTEXTS.filter((each) => each < options.contextTokens);
  const contexts = known.filter((each) => each + options.rowLimit * REPETITIONS <= options.cells);
  const shared = contexts.length > 0 ? contexts : [SMALL_CONTEXT];
  const columns = shared.map((each) => undisturbed(measureColumn(context, each, options, within(DECODE_SHARE))));
  const sizes = PREFILLS.filter((each) => each <= Math.min(largest, options.contextTokens));
  const times: number[] = [];
  for (const tokens of sizes) {
    if (times.length >= LEAST_PREFILLS && !within(1)()) break;
    times.push(typical(() => prefillOnce(context, tokens, options), options));
  }
  const prefill = undisturbed(times).map((ms, at) => [sizes[at]!, ms] as const);
  return { name: options.name, contexts: shared, decode: rowsOf(columns), prefill };
}

/** More rows never take less time: what exceeds the time of a larger size was somebody else's. */
function undisturbed(times: readonly number[]): readonly number[] {
  return times.map((_, at) => Math.min(...times.slice(at)));
}

/** Columns of times to rows of a table; a row ends where a column was cut short. */
function rowsOf(columns: readonly (readonly number[])[]): MeasuredPoints['decode'] {
  return BATCHES.slice(0, columns[0]!.length).map((batch, row) => {
    const times = columns.map((column) => column[row]);
    const end = times.indexOf(undefined);
    return [batch, ...(times.slice(0, end < 0 ? times.length : end) as number[])] as const;
  });
}

/** Decode times of every batch size over one shared context; shorter when the time is up. */
function measureColumn(
  context: Context,
  shared: number,
  options: MeasurementOptions,
  inTime: () => boolean,
): readonly number[] {
  fill(context, shared, options.bulkRows);
  const times: number[] = [];
  const batches = BATCHES.filter((batch) => batch <= options.rowLimit);
  for (const batch of batches) {
    if (times.length > 1 && !inTime()) break;
    for (let sequence = 1; sequence < batch; sequence++) context.copy(0, sequence, shared);
    let position = shared;
    times.push(
      typical(() => {
        const rows = Array.from({ length: batch }, (_, sequence) => row(sequence, position, true));
        position += 1;
        return timed(options.nowMs, () => {
          context.decode(rows);
          for (let index = 0; index < batch; index++) options.useLogits(context.logits(index));
        });
      }, options),
    );
    for (let sequence = 1; sequence < batch; sequence++) context.remove(sequence, 0);
    context.remove(0, shared);
  }
  context.remove(0, 0);
  return times;
}

function fill(context: Context, tokens: number, chunk: number): void {
  for (let start = 0; start < tokens; start += chunk) {
    const count = Math.min(chunk, tokens - start);
    context.decode(Array.from({ length: count }, (_, index) => row(0, start + index, start + index === tokens - 1)));
  }
}

function prefillOnce(context: Context, tokens: number, { nowMs }: MeasurementOptions): number {
  const rows = Array.from({ length: tokens }, (_, position) => row(0, position, position === tokens - 1));
  const took = timed(nowMs, () => context.decode(rows));
  context.remove(0, 0);
  return took;
}

/**
 * What it takes when nobody interrupts it: the shortest of a few, or their mean processor time where that is less and long
 * enough to be exact. A short measurement has luck with its neighbours sometimes, a long one never.
 */
function typical(measure: () => number, { processorMs }: MeasurementOptions): number {
  const beforeMs = processorMs?.() ?? 0;
  const shortestMs = Math.min(...Array.from({ length: REPETITIONS }, measure));
  const ownMs = (processorMs?.() ?? 0) - beforeMs;
  return ownMs < EXACT_PROCESSOR_MS ? shortestMs : Math.min(shortestMs, ownMs / REPETITIONS);
}

function timed(nowMs: () => number, action: () => void): number {
  const startMs = nowMs();
  action();
  return nowMs() - startMs;
}

function row(sequence: number, position: number, wanted: boolean): ContextRow {
  return { token: ANY_TOKEN, position, sequence, wanted };
}
