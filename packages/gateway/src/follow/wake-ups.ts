// Waits by key: `next` resolves at the next `wake` of its key. A wake-up carries no reason: the one that waited must look again.

export class WakeUps {
  readonly #waiting = new Map<string, Set<() => void>>();

  wake(key: string): void {
    const waiting = this.#waiting.get(key);
    if (waiting === undefined) return;
    this.#waiting.delete(key);
    for (const wake of waiting) wake();
  }

  wakeAll(): void {
    for (const key of [...this.#waiting.keys()]) this.wake(key);
  }

  next(key: string, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const waiting = this.#waiting.get(key) ?? new Set();
      this.#waiting.set(key, waiting);
      const done = () => {
        signal.removeEventListener('abort', done);
        waiting.delete(done);
        if (waiting.size === 0 && this.#waiting.get(key) === waiting) this.#waiting.delete(key);
        resolve();
      };
      waiting.add(done);
      signal.addEventListener('abort', done, { once: true });
      if (signal.aborted) done();
    });
  }
}
