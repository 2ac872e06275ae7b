// How many lines of batches are searches at a time: as many for each model as it has strands, so that whatever comes free finds
// work, and no more wait in memory.

export class LineSlots {
  readonly #free = new Map<string, number>();
  readonly #waiting = new Map<string, (() => void)[]>();
  readonly #sizeOf: (model: string) => number;

  constructor(sizeOf: (model: string) => number) {
    this.#sizeOf = sizeOf;
  }

  /** Resolves to the way to give the slot back; to undefined where the signal came first. */
  async take(model: string, halt: AbortSignal): Promise<(() => void) | undefined> {
    for (;;) {
      if (halt.aborted) return undefined;
      const free = this.#free.get(model) ?? this.#sizeOf(model);
      if (free > 0) {
        this.#free.set(model, free - 1);
        return () => this.#give(model);
      }
      await this.#next(model, halt);
    }
  }

  #give(model: string): void {
    this.#free.set(model, (this.#free.get(model) ?? 0) + 1);
    this.#waiting.get(model)?.shift()?.();
  }

  #next(model: string, halt: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const waiting = this.#waiting.get(model) ?? [];
      this.#waiting.set(model, waiting);
      const wake = () => {
        halt.removeEventListener('abort', leave);
        resolve();
      };
      const leave = () => {
        const at = waiting.indexOf(wake);
        if (at >= 0) waiting.splice(at, 1);
        resolve();
      };
      waiting.push(wake);
      halt.addEventListener('abort', leave, { once: true });
    });
  }
}
