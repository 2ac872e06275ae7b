// Bounds how many batch lines are searches at a time: as many per model as it has strands. Idle strands find work, and no more lines wait
// in memory.

import { WakeUps } from '../follow/wake-ups.ts';

export class LineSlots {
  readonly #free = new Map<string, number>();
  readonly #freed = new WakeUps();
  readonly #sizeOf: (model: string) => number;

  constructor(sizeOf: (model: string) => number) {
    this.#sizeOf = sizeOf;
  }

  /** Resolves to a function that gives the slot back; undefined if the signal came first. */
  async take(model: string, halt: AbortSignal): Promise<(() => void) | undefined> {
    while (!halt.aborted) {
      const free = this.#free.get(model) ?? this.#sizeOf(model);
      if (free > 0) {
        this.#free.set(model, free - 1);
        return () => this.#give(model);
      }
      await this.#freed.next(model, halt);
    }
    return undefined;
  }

  #give(model: string): void {
    this.#free.set(model, (this.#free.get(model) ?? 0) + 1);
    this.#freed.wake(model);
  }
}
