// The share of the cores that other processes use: times measured beside busy neighbours say little.

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

/** Share of the cores' work since `before` that was for other processes: busy neighbours lengthen measured times and invalidate the table. */
export function othersShare(before: ProcessorMs): number {
  const now = processorMs();
  const others = now.all - before.all - (now.own - before.own);
  return Math.max(0, others) / (cpus().length * (now.atMs - before.atMs));
}
