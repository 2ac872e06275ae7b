// What decodes cost on this machine, measured on the engine's own context while nothing else runs: the points of a cost
// table (cost/table.ts). Sequences share their whole context, as the branches of a tree mostly do. Bounded in time; a
// point that did not fit into it is left out. The clock is an argument.
import type { MeasuredPoints } from '../../cost/table.ts';
import type { Context, ContextRow } from './context.ts';

export type MeasurementOptions = {
  readonly name: string;
  readonly nowMs: () => number;
  /** No new point is begun after so long. */
  readonly budgetMs: number;
  readonly rowLimit: number;
  readonly bulkRows: number;
  readonly cells: number;
};

const BATCHES = [1, 2, 4, 8, 16, 24, 32, 48, 63] as const;
const CONTEXTS = [64, 256, 1024] as const;
const PREFILLS = [8, 16, 32, 63, 128, 256, 512] as const;
const REPETITIONS = 5;
const ANY_TOKEN = 5; // the time does not depend on which one

export function measureCost(context: Context, options: MeasurementOptions): MeasuredPoints {
  const deadlineMs = options.nowMs() + options.budgetMs;
  const inTime = () => options.nowMs() < deadlineMs;
  const prefill: (readonly [number, number])[] = [];
  const largest = Math.min(options.bulkRows, options.cells);
  prefillOnce(context, Math.min(largest, 64), options); // the first decode pays for touching the weights
  for (const tokens of PREFILLS.filter((each) => each <= largest)) {
    if (prefill.length > 0 && !inTime()) break;
    prefill.push([tokens, typical(REPETITIONS, () => prefillOnce(context, tokens, options))]);
  }
  const contexts = CONTEXTS.filter((each) => each + 2 * options.rowLimit * REPETITIONS <= options.cells);
  const columns = (contexts.length > 0 ? contexts : [8]).map((each) => measureColumn(context, each, options, inTime));
  const decode = BATCHES.filter((_, row) => columns[0]?.[row] !== undefined).map((batch, row) => {
    const times = columns.map((column) => column[row]);
    const known = times.indexOf(undefined);
    return [batch, ...(known < 0 ? times : times.slice(0, known))] as unknown as readonly [number, ...number[]];
  });
  return { name: options.name, contexts: contexts.length > 0 ? [...contexts] : [8], decode, prefill };
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
    if (times.length > 0 && !inTime()) break;
    for (let sequence = 1; sequence < batch; sequence++) context.copy(0, sequence, shared);
    let position = shared;
    times.push(
      typical(REPETITIONS, () => {
        const rows = Array.from({ length: batch }, (_, sequence) => row(sequence, position, true));
        position += 1;
        return timed(options.nowMs, () => context.decode(rows));
      }),
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

/** The lower quartile: what the machine does when nobody interrupts it. */
function typical(repetitions: number, measure: () => number): number {
  const times = Array.from({ length: repetitions }, measure).sort((left, right) => left - right);
  return times[Math.floor(repetitions / 4)]!;
}

function timed(nowMs: () => number, action: () => void): number {
  const startMs = nowMs();
  action();
  return nowMs() - startMs;
}

function row(sequence: number, position: number, wanted: boolean): ContextRow {
  return { token: ANY_TOKEN, position, sequence, wanted };
}
