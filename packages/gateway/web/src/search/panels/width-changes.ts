// Reads the changes of a search's width from its log. Pure.

import type { Evidence, LoggedEvent } from '@coppice/core/log';

export interface WidthChange {
  readonly atMs: number;
  /** Allowed strands before and after, both lanes together. */
  readonly from: number;
  readonly to: number;
  /** Open strands that the search had to give up. */
  readonly taken: number;
  readonly why: Evidence | undefined;
}

/** Lists changes in log order. A preemption belongs to the next change of width, or is a change itself. */
export function widthChanges(log: readonly LoggedEvent[]): WidthChange[] {
  const changes: WidthChange[] = [];
  let width = 0;
  for (const { event, atMs } of log) {
    if (event.type === 'preempted') addTaken(changes, { atMs, from: width, to: width, taken: 1, why: event.why });
    if (event.type !== 'width') continue;
    const to = event.primary + event.speculative;
    const last = changes.at(-1);
    const joins = last !== undefined && last.atMs === atMs && last.taken > 0;
    if (joins) changes[changes.length - 1] = { ...last, to };
    else changes.push({ atMs, from: width, to, taken: 0, why: event.why });
    width = to;
  }
  return changes;
}

function addTaken(changes: WidthChange[], change: WidthChange): void {
  const last = changes.at(-1);
  if (last?.atMs === change.atMs && last.taken > 0) changes[changes.length - 1] = { ...last, taken: last.taken + 1 };
  else changes.push(change);
}
