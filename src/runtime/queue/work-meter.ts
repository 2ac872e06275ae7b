// How much work a search is likely to be, from what others like it took: the estimate that an order by work goes by. Kept
// outside the scheduler, which remembers nothing. Kinds are few: a program and how many rollouts it may use.

/** Of a mean, the share of the newest. */
const newest = 1 / 16;
const mostKinds = 256;

export function workKind(program: string, rollouts: number): string {
  return `${program} ${rollouts}`;
}

export class WorkMeter {
  readonly #byKind = new Map<string, number>();
  #ofAll: number | undefined;

  ended(kind: string, seconds: number): void {
    this.#ofAll = smoothed(this.#ofAll, seconds);
    if (!this.#byKind.has(kind) && this.#byKind.size >= mostKinds) return;
    this.#byKind.set(kind, smoothed(this.#byKind.get(kind), seconds));
  }

  /** Seconds from admission to end; those of all where the kind is new, undefined before the first end. */
  estimate(kind: string): number | undefined {
    return this.#byKind.get(kind) ?? this.#ofAll;
  }
}

function smoothed(before: number | undefined, value: number): number {
  return before === undefined ? value : before + newest * (value - before);
}
