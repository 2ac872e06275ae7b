// Requests that are passed through take an engine's time like a search: each waits for its turn in the runtime of its
// model, holds the lease of one strand, and gives it back.

import type { Clock } from '../../base/clock.ts';
import type { Guest } from '../../runtime/queue/guests.ts';
import type { Queue } from '../../runtime/queue/queue.ts';
import type { LineKey } from '../../scheduler/turns/line.ts';
import type { Caller } from '../http/keys.ts';
import { type ServedModels, servedBy } from '../models/served-model.ts';
import type { Admission } from './admission.ts';
import { newId } from './search-facts.ts';

interface GuestsOptions {
  readonly admission: Admission;
  readonly models: ServedModels;
  readonly clock: Clock;
  readonly keyOf: (name: string) => LineKey | undefined;
}

export class GuestPlaces {
  readonly #options: GuestsOptions;

  constructor(options: GuestsOptions) {
    this.#options = options;
  }

  /** Resolves when the guest may begin or is gone, throws where there is no room. Give the place back once. */
  async occupy(model: string, caller: Caller, gone: AbortSignal): Promise<() => void> {
    const { admission } = this.#options;
    const { queue, id, arrivalMs, facts } = this.#arrive(model, caller);
    admission.apply({ id, owner: caller.name, ownerQueue: caller.queue }, queue.forecast(facts));
    const turn = queue.take(id, facts);
    await admitted(queue, { id, turn, arrivalMs }, gone, () => admission.admitted(id));
    return () => {
      queue.dismiss(id);
      admission.leave(id);
    };
  }

  /**
   * One that no client waits for: it holds up no other and fills no queue. `parked` comes when its strand is needed: the place is
   * given back then, and it is to begin anew.
   */
  async occupyIdle(model: string, caller: Caller, gone: AbortSignal) {
    const { queue, id, arrivalMs, facts } = this.#arrive(model, caller);
    const turn = queue.take(id, { ...facts, idle: true });
    const parked = new AbortController();
    const onParked = () => parked.abort();
    await admitted(queue, { id, turn, arrivalMs, idle: true, onParked }, gone);
    return { parked: parked.signal, leave: () => queue.dismiss(id) };
  }

  #arrive(model: string, caller: Caller) {
    const { models, clock, keyOf } = this.#options;
    const { queue } = servedBy(models, model).runtime;
    const arrivalMs = clock.nowMs();
    const key = keyOf(caller.name);
    const priority = Math.min(0, caller.maxPriority);
    const facts = { arrivalMs, priority, seats: 1, ...(key && { key }) };
    return { queue, id: newId('srch_', arrivalMs), arrivalMs, facts };
  }
}

function admitted(
  queue: Pick<Queue, 'enter'>,
  guest: Omit<Guest, 'onAdmitted'>,
  gone: AbortSignal,
  then: () => void = () => {},
): Promise<void> {
  return new Promise((resolve) => {
    gone.addEventListener('abort', () => resolve(), { once: true });
    const onAdmitted = () => {
      then();
      resolve();
    };
    queue.enter({ ...guest, onAdmitted });
  });
}
