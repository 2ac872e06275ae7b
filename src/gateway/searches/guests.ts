// Work that is no search but takes an engine's time all the same: a guest waits in the same queue as the searches, takes
// the place of one strand, and gives it back.

import type { Clock } from '../../base/clock.ts';
import type { Caller } from '../http/keys.ts';
import type { Admission } from './admission.ts';
import { newSearchId } from './search-facts.ts';

export class Guests {
  readonly #admission: Admission;
  readonly #clock: Clock;
  /** The queue has changed: somebody may start. */
  readonly #onChange: () => void;
  /** What to call when a guest has its place. */
  readonly #waiting = new Map<string, () => void>();

  constructor(admission: Admission, clock: Clock, onChange: () => void) {
    this.#admission = admission;
    this.#clock = clock;
    this.#onChange = onChange;
  }

  /** Resolves when the guest may begin or is gone, throws where there is no room. Give the place back once. */
  async occupy(model: string, caller: Caller, gone: AbortSignal): Promise<() => void> {
    const arrivalMs = this.#clock.nowMs();
    const id = newSearchId(arrivalMs);
    const { name: owner, share, maxPriority } = caller;
    const ticket = { id, model, owner, share, priority: Math.min(0, maxPriority), width: 1, arrivalMs };
    this.#admission.reserve(ticket, caller.queue, arrivalMs)();
    await new Promise<void>((resolve) => {
      this.#waiting.set(id, resolve);
      gone.addEventListener('abort', () => resolve(), { once: true });
      this.#admission.enter(ticket);
      this.#onChange();
    });
    return () => this.#leave(id);
  }

  /** Its turn has come. */
  begin(id: string): void {
    this.#waiting.get(id)?.();
  }

  #leave(id: string): void {
    this.#waiting.delete(id);
    this.#admission.leave(id, this.#clock.nowMs());
    this.#onChange();
  }
}
