// The time of a decode with so many branches and tokens each, without interruptions by other processes: the shortest of many. The gain of
// drafting follows from these by arithmetic, whatever else the machine does.

import { Context } from '@coppice/llama/batch';
import { findLibrary, loadBinding, Model } from '@coppice/llama/native';

const sharedTokens = 80;
const anyToken = 5;

/** Milliseconds for each [branches, tokens]. */
export function rowCosts(
  path: string,
  shapes: readonly (readonly [number, number])[],
  { threads = 1, repetitions = 60 } = {},
): number[] {
  const binding = loadBinding(findLibrary());
  const model = Model.load(binding, path);
  const context = Context.create(binding, model, { cells: 4096, threads, rows: 512, flashAttention: true });
  // A thread that computes alone knows its processor time, which neighbours hardly touch.
  const nowMs = threads === 1 && process.platform !== 'darwin' ? processorMs : () => performance.now();
  const most = Math.max(...shapes.map(([branches]) => branches));
  context.decode(Array.from({ length: sharedTokens }, (_, position) => rowAt(0, position)));
  for (let sequence = 1; sequence < most; sequence += 1) context.copy(0, sequence, 0, sharedTokens);
  const times = shapes.map(([branches, tokens]) => shortestMs(context, { branches, tokens, repetitions, nowMs }));
  context.close();
  model.close();
  return times;
}

interface DecodeShape {
  readonly branches: number;
  readonly tokens: number;
  readonly repetitions: number;
  readonly nowMs: () => number;
}

function processorMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

function shortestMs(context: Context, { branches, tokens, repetitions, nowMs }: DecodeShape): number {
  const rows = Array.from({ length: branches * tokens }, (_, at) =>
    rowAt(Math.floor(at / tokens), sharedTokens + (at % tokens)),
  );
  let shortest = Number.POSITIVE_INFINITY;
  for (let repetition = 0; repetition < repetitions; repetition += 1) {
    const startMs = nowMs();
    context.decode(rows);
    shortest = Math.min(shortest, nowMs() - startMs);
    for (let sequence = 0; sequence < branches; sequence += 1) context.remove(sequence, sharedTokens);
  }
  return shortest;
}

function rowAt(sequence: number, position: number) {
  return { token: anyToken, position, sequence, wanted: true };
}
