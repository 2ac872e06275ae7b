// Who else uses the cores: times that were measured beside busy neighbours say little.

import { cpus } from 'node:os';

interface ProcessorMs {
  readonly atMs: number;
  readonly own: number;
  readonly all: number;
}

export function processorMs(): ProcessorMs {
  const { user, system } = process.cpuUsage();
  const all = cpus().reduce((sum, { times }) => sum + times.user + times.nice + times.sys + times.irq, 0);
  return { atMs: performance.now(), own: (user + system) / 1000, all };
}

/** What the cores did for others than this process since then: busy neighbours make measured times long and the table stale. */
export function othersShare(before: ProcessorMs): number {
  const now = processorMs();
  const others = now.all - before.all - (now.own - before.own);
  return Math.max(0, others) / (cpus().length * (now.atMs - before.atMs));
}
