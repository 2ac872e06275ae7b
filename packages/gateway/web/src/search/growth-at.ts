// How fast paths were completed and how often guesses were right, up to any moment of a log that may still grow. Going on reads what is
// new; going back reads from the start.

import { GrowthMeter, type GrowthTotals, type LoggedEvent, type SearchFold } from '@coppice/core/log';

export class GrowthAt {
  readonly #log: readonly LoggedEvent[];
  #meter = new GrowthMeter();
  #read = 0;

  constructor(log: readonly LoggedEvent[]) {
    this.#log = log;
  }

  /** After so many events, of which `moment` is the fold. */
  at(position: number, moment: SearchFold): GrowthTotals {
    if (position < this.#read) {
      this.#meter = new GrowthMeter();
      this.#read = 0;
    }
    for (; this.#read < position; this.#read += 1) this.#meter.read(this.#log[this.#read]!, moment);
    return this.#meter.total;
  }
}
