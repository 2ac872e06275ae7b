// What a decode of so many branches with so many tokens each takes when no other process interrupts it: the shortest of many. From
// these the gain of drafting follows by arithmetic, whatever else the machine does meanwhile.

import { Context, findLibrary, loadBinding, Model } from 'coppice/internals';

const sharedTokens = 80;
const repetitions = 60;
const anyToken = 5;

/** Milliseconds for each [branches, tokens]. */
export function rowCosts(path: string, shapes: readonly (readonly [number, number])[]): number[] {
  const binding = loadBinding(findLibrary());
  const model = Model.load(binding, path);
  const context = Context.create(binding, model, { cells: 4096, threads: 1, rows: 512, flashAttention: true });
  const most = Math.max(...shapes.map(([branches]) => branches));
  context.decode(Array.from({ length: sharedTokens }, (_, position) => rowAt(0, position)));
  for (let sequence = 1; sequence < most; sequence += 1) context.copy(0, sequence, 0, sharedTokens);
  const times = shapes.map(([branches, tokens]) => shortestMs(context, branches, tokens));
  context.close();
  model.close();
  return times;
}

function shortestMs(context: Context, branches: number, tokens: number): number {
  const rows = Array.from({ length: branches * tokens }, (_, at) =>
    rowAt(Math.floor(at / tokens), sharedTokens + (at % tokens)),
  );
  let shortest = Number.POSITIVE_INFINITY;
  for (let repetition = 0; repetition < repetitions; repetition += 1) {
    const startMs = performance.now();
    context.decode(rows);
    shortest = Math.min(shortest, performance.now() - startMs);
    for (let sequence = 0; sequence < branches; sequence += 1) context.remove(sequence, sharedTokens);
  }
  return shortest;
}

function rowAt(sequence: number, position: number) {
  return { token: anyToken, position, sequence, wanted: true };
}
