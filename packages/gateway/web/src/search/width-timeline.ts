// Collects strands allowed and open, and the best finished score, after every event that changed one of them. Grows with the log; never
// reads an event twice.

import { type LoggedEvent, SearchFold } from '@coppice/core/log';

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

export class WidthTimeline {
  readonly #log: readonly LoggedEvent[];
  readonly #fold = new SearchFold();
  #seen = 0;
  readonly points: WidthPoint[] = [];
  readonly notches: Notch[] = [];

  constructor(log: readonly LoggedEvent[]) {
    this.#log = log;
  }

  update(): void {
    for (; this.#seen < this.#log.length; this.#seen += 1) {
      const logged = this.#log[this.#seen]!;
      const { event, atMs } = logged;
      this.#fold.apply(logged);
      const { width, openStrands, bestScore } = this.#fold;
      this.#add({ atMs, ...width, open: openStrands, best: bestScore });
      if (event.type === 'pruned' || event.type === 'preempted' || event.type === 'resumed') {
        this.notches.push({ atMs, kind: event.type });
      } else if (event.type === 'closed' && event.closing === 'completed') {
        this.notches.push({ atMs, kind: 'completed' });
      }
    }
  }

  get hasEnded(): boolean {
    return this.#fold.exit !== undefined;
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
