// Finds the number of threads that decodes fastest on this machine under its present load: tries a few decodes with all free cores, half of
// them, … one. Results do not depend on it. Pure, except for `decodeMs`.

import { median } from '@coppice/core/base';

/** Decodes per count. Their median counts, so that a neighbour's burst spoils only one. */
const repetitions = 3;
/** Most milliseconds of trial per count: a large model gets fewer decodes. */
const shareMs = 120;
const trialMs = 600;
/** Times within this factor of the fastest count as equal: cores that gain less than a tenth are left to others. */
const equalFactor = 1.1;
/** If a count is slower than the fastest by this factor, the trial skips the smaller counts. */
const skipFactor = 1.5;

export function fastestThreads(cores: number, decodeMs: (threads: number) => number): number {
  const tried = new Map<number, number>();
  let spentMs = 0;
  for (const threads of countsBelow(cores)) {
    const tookMs = repeated(() => decodeMs(threads));
    tried.set(threads, median(tookMs));
    spentMs += tookMs.reduce((sum, each) => sum + each, 0);
    if (tried.size === 1) continue; // one figure decides nothing
    if (spentMs > trialMs || median(tookMs) > skipFactor * Math.min(...tried.values())) break;
  }
  const fastest = Math.min(...tried.values());
  return Math.min(...[...tried].filter(([, tookMs]) => tookMs <= equalFactor * fastest).map(([threads]) => threads));
}

function countsBelow(cores: number): number[] {
  const counts: number[] = [];
  for (let count = Math.max(1, Math.floor(cores)); count > 1; count = Math.ceil(count / 2)) counts.push(count);
  return [...counts, 1];
}

/** The first decode also starts new threads: it counts only if it takes so long that this does not matter. */
function repeated(decodeMs: () => number): number[] {
  const firstMs = decodeMs();
  if (firstMs > shareMs) return [firstMs];
  const tookMs: number[] = [];
  for (let spentMs = 0; tookMs.length < repetitions && spentMs < shareMs; spentMs += tookMs.at(-1)!)
    tookMs.push(decodeMs());
  return tookMs;
}
