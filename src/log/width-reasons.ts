// Why a search was given strands or had them taken away: the changes of its width in its log, each with the scheduler's
// reason as a sentence. Pure.

import type { Evidence } from './end.ts';
import type { LoggedEvent } from './events.ts';

export interface WidthChange {
  readonly atMs: number;
  /** Strands that it might have open before and after, both lanes together. */
  readonly from: number;
  readonly to: number;
  /** Open strands that it had to give up for it. */
  readonly taken: number;
  readonly why: Evidence | undefined;
}

/** In the order of the log; what is preempted belongs to the change of width that follows it, or stands alone. */
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

/** The scheduler's reason as a sentence, and behind it the numbers that it went by. */
export function reasonText(why: Evidence): string {
  return `${reasonSentence(why)} (${reasonFigures(why)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ')})`;
}

/** Everything that the scheduler wrote down, in its own names. */
export function reasonFigures(why: Evidence): [name: string, value: number | string][] {
  return Object.entries(why);
}

/** Without its numbers: what the scheduler did for this search, and for what. */
export function reasonSentence({ rule, base, target, othersLack, idle }: Evidence): string {
  if (rule === 'idle')
    return `no client waits for it, so it has what is idle: ${idle} of the ${strands(base)} it can use`;
  if (othersLack !== undefined)
    return `other searches lacked ${strands(othersLack)} of their own, so it gave back what it had borrowed; it keeps ${target}`;
  if (Number(target) > Number(base)) {
    const gain = rule === 'worth' ? ', since they gain more than they slow the others down' : '';
    return `the scheduler lends it idle strands, ${target} instead of its own ${base}${gain}`;
  }
  return `it has its own ${strands(base)}, and borrows none`;
}

function strands(count: number | string | undefined): string {
  return `${count} ${Number(count) === 1 ? 'strand' : 'strands'}`;
}
