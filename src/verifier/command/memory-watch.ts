// What a process and all that it has started use together. Limits of the system hold for one process each, so that many of them could use
// many times as much; cgroups would hold for all, and most servers may make none. Looks, and kills nothing itself.

import { readFileSync } from 'node:fs';

/** A process fills some 100 MiB between two looks. */
const lookMs = 50;

/** Calls once more than this is used; never where the system does not tell. */
export function watchMemory(pid: number | undefined, mostMiB: number, onTooMuch: () => void): () => void {
  if (pid === undefined || usedMiB(pid) === undefined) return () => {};
  const timer = setInterval(() => {
    if ((usedMiB(pid) ?? 0) > mostMiB) onTooMuch();
  }, lookMs);
  timer.unref();
  return () => clearInterval(timer);
}

/** Their own pages, without those of files; what is shared since a fork counts for each. Undefined where it cannot be read. */
export function usedMiB(pid: number): number | undefined {
  try {
    const [, resident = 0, shared = 0] = readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ').map(Number);
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
    const below = children.reduce((sum, child) => sum + (usedMiB(child) ?? 0), 0);
    return ((resident - shared) * pageBytes) / 1024 ** 2 + below;
  } catch {
    return undefined;
  }
}

const pageBytes = 4096;
