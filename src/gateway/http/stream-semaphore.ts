// A counting semaphore over connections that stay open: event streams and answers that are waited for. Where no permit is
// left it refuses at once; no request waits for one.

import { ApiError } from './api-error.ts';

export class StreamSemaphore {
  readonly #limit: number;
  #open = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get open(): number {
    return this.#open;
  }

  /** Gives what returns the permit; giving it back twice is giving it back once. */
  take(): () => void {
    if (this.#open >= this.#limit) {
      const message = `${this.#open} streams are open, the limit`;
      throw new ApiError('too_many_streams', message, { retryAfterSeconds: 5 });
    }
    this.#open += 1;
    let held = true;
    return () => {
      if (held) this.#open -= 1;
      held = false;
    };
  }
}
