// Finds the number of threads that decodes fastest on this machine, as busy as it is now: a few decodes with all free cores, half of them, …
// one. Results do not depend on it. Pure but for `decodeMs`.

import { median } from '@coppice/core/base';

/** Decodes per count; their median counts: a neighbour's burst spoils one. */
const repetitions = 3;
/** Milliseconds of trial per count: a large model is tried with fewer decodes. */
const shareMs = 120;
const trialMs = 600;
/** Times up to this ratio to the fastest are as good: cores that bring less than a tenth are left to others. */
const asFast = 1.1;
/** Ratio to the fastest time at which fewer threads need not be tried. */
const tooSlow = 1.5;

export function fastestThreads(cores: number, decodeMs: (threads: number) => number): number {
  const tried = new Map<number, number>();
  let spentMs = 0;
  for (const threads of countsBelow(cores)) {
    const tookMs = repeated(() => decodeMs(threads));
    tried.set(threads, median(tookMs));
    spentMs += tookMs.reduce((sum, each) => sum + each, 0);
    if (tried.size === 1) continue; // one figure says nothing
    if (spentMs > trialMs || median(tookMs) > tooSlow * Math.min(...tried.values())) break;
  }
  const fastest = Math.min(...tried.values());
  return Math.min(...[...tried].filter(([, tookMs]) => tookMs <= asFast * fastest).map(([threads]) => threads));
}

function countsBelow(cores: number): number[] {
  const counts: number[] = [];
  for (let count = Math.max(1, Math.floor(cores)); count > 1; count = Math.ceil(count / 2)) counts.push(count);
  return [...counts, 1];
}

/** The first with new threads pays for starting them: it counts only where a decode takes so long that this is nothing. */
function repeated(decodeMs: () => number): number[] {
  const firstMs = decodeMs();
  if (firstMs > shareMs) return [firstMs];
  const tookMs: number[] = [];
  for (let spentMs = 0; tookMs.length < repetitions && spentMs < shareMs; spentMs += tookMs.at(-1)!)
    tookMs.push(decodeMs());
  return tookMs;
}
