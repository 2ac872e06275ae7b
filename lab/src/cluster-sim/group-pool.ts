// Runs independent groups on several threads. A group's result depends on its spec alone, so the number of threads only changes the time.

import { Worker } from 'node:worker_threads';
import type { GroupSpec } from './cluster-spec.ts';
import { runGroup } from './group.ts';
import type { GroupResult } from './group-result.ts';

/** What a thread says: how far it is, and at last what came of it. */
type GroupWord = { readonly line: string } | { readonly result: GroupResult };

const fromSource = ['--conditions=coppice-source'];
/** Most of what a group allocates is dead at once: a large nursery keeps it from being copied. In MB. */
const memory = { maxYoungGenerationSizeMb: 256, maxOldGenerationSizeMb: 12_288 };

/** With 0 `threads` the groups run in this one. */
export async function runGroups(specs: readonly GroupSpec[], threads: number): Promise<GroupResult[]> {
  const results: GroupResult[] = [];
  const left = specs.map((spec, at) => ({ spec, at }));
  const work = async (run: (spec: GroupSpec) => Promise<GroupResult>) => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) results[next.at] = await run(next.spec);
  };
  if (threads === 0) await work((spec) => runGroup(spec));
  else await Promise.all(Array.from({ length: Math.min(threads, specs.length) }, () => onThread(work)));
  return results;
}

async function onThread(work: (run: (spec: GroupSpec) => Promise<GroupResult>) => Promise<void>): Promise<void> {
  const worker = new Worker(new URL('./group-worker.ts', import.meta.url), {
    execArgv: fromSource,
    resourceLimits: memory,
  });
  const run = (spec: GroupSpec) =>
    new Promise<GroupResult>((resolve, reject) => {
      const hear = (word: GroupWord) => {
        if ('line' in word) return console.error(word.line);
        worker.off('message', hear);
        resolve(word.result);
      };
      worker.on('message', hear);
      worker.once('error', reject);
      worker.postMessage(spec);
    });
  try {
    await work(run);
  } finally {
    await worker.terminate();
  }
}
