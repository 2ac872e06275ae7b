// The budget M as objects: a lease is the right to one open strand, taken once and returned once. Any other use is a programmer's mistake.

import { assert } from '../../base/assert.ts';

export interface Lease {
  readonly holder: string;
}

export class Leases {
  readonly budget: number;
  readonly #held = new Set<Lease>();

  constructor(budget: number) {
    assert(Number.isInteger(budget) && budget >= 1, `a budget of ${budget} strands`);
    this.budget = budget;
  }

  get taken(): number {
    return this.#held.size;
  }

  get free(): number {
    return this.budget - this.#held.size;
  }

  take(holder: string): Lease {
    assert(this.free > 0, `no lease left of ${this.budget} for ${holder}`);
    const lease: Lease = { holder };
    this.#held.add(lease);
    return lease;
  }

  give(lease: Lease): void {
    assert(this.#held.delete(lease), `the lease of ${lease.holder} was returned before`);
  }
}
