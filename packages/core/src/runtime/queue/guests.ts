// Pass-through requests: each waits in the same line as the searches and holds the lease of one strand while it is served elsewhere.

import { assert } from '../../base/assert.ts';
import type { RunningSearch, WaitingSearch } from '../../scheduler/scheduler.ts';
import type { Lease, Leases } from '../budget/leases.ts';

export interface Guest {
  readonly id: string;
  readonly turn: number;
  readonly arrivalMs: number;
  readonly onAdmitted: () => void;
}

export class Guests {
  readonly #leases: Leases;
  readonly #waiting = new Map<string, Guest>();
  readonly #held = new Map<string, { readonly guest: Guest; readonly lease: Lease }>();

  constructor(leases: Leases) {
    this.#leases = leases;
  }

  get seats(): number {
    return this.#held.size;
  }

  waiting(id: string): Guest | undefined {
    return this.#waiting.get(id);
  }

  enter(guest: Guest): void {
    assert(!this.#waiting.has(guest.id) && !this.#held.has(guest.id), `guest ${guest.id} is here already`);
    this.#waiting.set(guest.id, guest);
  }

  admit(id: string): void {
    const guest = this.#waiting.get(id);
    assert(guest !== undefined, `guest ${id} does not wait`);
    this.#waiting.delete(id);
    this.#held.set(id, { guest, lease: this.#leases.take(id) });
    guest.onAdmitted();
  }

  leave(id: string): boolean {
    const held = this.#held.get(id);
    if (held === undefined) return this.#waiting.delete(id);
    this.#held.delete(id);
    this.#leases.give(held.lease);
    return true;
  }

  asWaiting(): WaitingSearch[] {
    return Array.from(this.#waiting.values(), ({ id, turn }) => ({ id, turn, naturalWidth: 1 }));
  }

  asRunning(): RunningSearch[] {
    const still = {
      naturalWidth: 1,
      demand: 1,
      rolloutsLeft: 1,
      openStrands: 1,
      width: { primary: 1, speculative: 0 },
      observations: 0,
      progress: 0,
    };
    return Array.from(this.#held.values(), ({ guest: { id, arrivalMs } }) => ({ id, arrivalMs, ...still }));
  }
}
