// The width timeline: how many strands a search was allowed and how many it had open, and the best finished score,
// after every event that changed one of them. Grows with the log; never looks at an event twice.

import type { LoggedEvent } from '../../../src/log/events.ts';
import { Replay } from './replay.ts';

export interface WidthPoint {
  readonly atMs: number;
  readonly primary: number;
  readonly speculative: number;
  readonly open: number;
  readonly best: number | undefined;
}

interface Notch {
  readonly atMs: number;
  readonly kind: 'completed' | 'pruned' | 'preempted' | 'resumed';
}

export class Widths {
  readonly #log: readonly LoggedEvent[];
  readonly #replay: Replay;
  #seen = 0;
  readonly points: WidthPoint[] = [];
  readonly notches: Notch[] = [];

  constructor(log: readonly LoggedEvent[]) {
    this.#log = log;
    this.#replay = new Replay(log);
  }

  /** Takes in what the log has gained. */
  update(): void {
    for (; this.#seen < this.#log.length; this.#seen += 1) {
      const { event, atMs } = this.#log[this.#seen]!;
      const { width, tree } = this.#replay.seek(this.#seen + 1);
      this.#add({ atMs, ...width, open: tree?.strands.size ?? 0, best: tree?.best?.score });
      if (event.type === 'pruned' || event.type === 'preempted' || event.type === 'resumed') {
        this.notches.push({ atMs, kind: event.type });
      } else if (event.type === 'closed' && event.closing === 'completed') {
        this.notches.push({ atMs, kind: 'completed' });
      }
    }
  }

  get most(): number {
    return this.points.reduce((most, { primary, speculative, open }) => Math.max(most, primary + speculative, open), 1);
  }

  #add(point: WidthPoint): void {
    const last = this.points.at(-1);
    const same =
      last?.primary === point.primary &&
      last.speculative === point.speculative &&
      last.open === point.open &&
      last.best === point.best;
    if (last?.atMs === point.atMs) this.points.pop();
    if (!same || last.atMs === point.atMs) this.points.push(point);
  }
}
