// Bounds the lines of batches that are searches at a time: per model as many as it has strands, so that idle strands find work and no
// more lines wait in memory.

export class LineSlots {
  readonly #free = new Map<string, number>();
  readonly #waiting = new Map<string, Set<() => void>>();
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
      await this.#next(model, halt);
    }
    return undefined;
  }

  #give(model: string): void {
    this.#free.set(model, (this.#free.get(model) ?? 0) + 1);
    const [first] = this.#waiting.get(model) ?? [];
    first?.();
  }

  #next(model: string, halt: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const waiting = this.#waiting.get(model) ?? new Set();
      this.#waiting.set(model, waiting);
      const wake = () => {
        halt.removeEventListener('abort', wake);
        waiting.delete(wake);
        resolve();
      };
      waiting.add(wake);
      halt.addEventListener('abort', wake);
    });
  }
}
