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

const named: ReadonlySet<string> = new Set(['rule', 'base', 'target', 'score', 'taken', 'othersLack', 'idle']);

/** The scheduler's reason as a sentence; numbers that have no place in it stand behind it. */
export function reasonText(why: Evidence): string {
  const rest = Object.entries(why).filter(([name]) => !named.has(name));
  const figures = [`rule ${why.rule}`, ...rest.map(([name, value]) => `${name} ${value}`)];
  return `${sentenceOf(why)} (${figures.join(', ')})`;
}

function sentenceOf({ rule, base, target, score, othersLack, idle }: Evidence): string {
  if (rule === 'idle') return `no client waits for it: it has what is idle, ${idle} of the ${base} that it could use`;
  if (othersLack !== undefined)
    return `others lacked ${othersLack} for their base, and it stood above its target of ${target}`;
  if (Number(target) > Number(base))
    return `boosted from its base of ${base} towards ${target}, by its weight of ${score}`;
  return `its base of ${base}: it can use no more now, has not earned a boost yet, or nothing is left to boost it with`;
}
