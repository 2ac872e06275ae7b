// Requests that are passed through take an engine's time like a search: each waits for its turn in the runtime of its
// model, holds the lease of one strand, and gives it back.

import type { Clock } from '../../base/clock.ts';
import type { LineKey } from '../../scheduler/turns/line.ts';
import type { Caller } from '../http/keys.ts';
import { type ServedModels, servedBy } from '../models/served-models.ts';
import type { Admission } from './admission.ts';
import { newSearchId } from './search-facts.ts';

export class GuestPlaces {
  readonly #admission: Admission;
  readonly #models: ServedModels;
  readonly #clock: Clock;
  readonly #keyOf: (caller: Caller) => LineKey | undefined;

  constructor(
    admission: Admission,
    models: ServedModels,
    clock: Clock,
    keyOf: (caller: Caller) => LineKey | undefined,
  ) {
    this.#keyOf = keyOf;
    this.#admission = admission;
    this.#models = models;
    this.#clock = clock;
  }

  /** Resolves when the guest may begin or is gone, throws where there is no room. Give the place back once. */
  async occupy(model: string, caller: Caller, gone: AbortSignal): Promise<() => void> {
    const { queue } = servedBy(this.#models, model).runtime;
    const arrivalMs = this.#clock.nowMs();
    const id = newSearchId(arrivalMs);
    const key = this.#keyOf(caller);
    const priority = Math.min(0, caller.maxPriority);
    const facts = { arrivalMs, priority, seats: 1, ...(key === undefined ? {} : { key }) };
    this.#admission.apply({ id, owner: caller.name, ownerQueue: caller.queue }, queue.forecast(facts));
    const turn = queue.take(id, facts);
    await new Promise<void>((resolve) => {
      gone.addEventListener('abort', () => resolve(), { once: true });
      const onAdmitted = () => {
        this.#admission.admitted(id);
        resolve();
      };
      queue.enter({ id, turn, arrivalMs, onAdmitted });
    });
    return () => {
      queue.dismiss(id);
      this.#admission.leave(id);
    };
  }
}
