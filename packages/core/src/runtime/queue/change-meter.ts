// How often another rollout changes the answer of a search, by kind of search, from those that have ended: what a strand beside others
// is worth is told by it (scheduler/worth.ts). Old searches fade. Counts alone; it never looks into a tree.

/** So many rollouts of a kind count. */
const memory = 2048;
/** Fewer say nothing yet. */
const fewest = 32;
const mostKinds = 256;

interface RolloutCounts {
  readonly rollouts: number;
  readonly changes: number;
}

export class ChangeMeter {
  readonly #byKind = new Map<string, RolloutCounts>();

  /** A search has ended after so many rollouts, of which the first had no answer to change. */
  ended(kind: string, rollouts: number, changes: number): void {
    const later = rollouts - 1;
    const known = this.#byKind.get(kind);
    if (later <= 0 || (known === undefined && this.#byKind.size >= mostKinds)) return;
    const kept = Math.max(0, 1 - later / memory);
    const before = known ?? { rollouts: 0, changes: 0 };
    this.#byKind.set(kind, { rollouts: kept * before.rollouts + later, changes: kept * before.changes + changes });
  }

  share(kind: string): number | undefined {
    const known = this.#byKind.get(kind);
    if (known === undefined || known.rollouts < fewest) return undefined;
    return Math.min(1, known.changes / known.rollouts);
  }
}
