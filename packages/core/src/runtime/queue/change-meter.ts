// The share of further rollouts that change the answer, by kind of search, from ended searches (read by scheduler/gain.ts).

const memoryRollouts = 2048;
const fewestRollouts = 32;
const mostKinds = 256;

interface RolloutCounts {
  readonly rollouts: number;
  readonly changes: number;
}

export class ChangeMeter {
  readonly #byKind = new Map<string, RolloutCounts>();

  ended(kind: string, rollouts: number, changes: number): void {
    const later = rollouts - 1;
    const known = this.#byKind.get(kind);
    if (later <= 0 || (known === undefined && this.#byKind.size >= mostKinds)) return;
    const kept = Math.max(0, 1 - later / memoryRollouts);
    const before = known ?? { rollouts: 0, changes: 0 };
    this.#byKind.set(kind, { rollouts: kept * before.rollouts + later, changes: kept * before.changes + changes });
  }

  share(kind: string): number | undefined {
    const known = this.#byKind.get(kind);
    if (known === undefined || known.rollouts < fewestRollouts) return undefined;
    return Math.min(1, known.changes / known.rollouts);
  }
}
