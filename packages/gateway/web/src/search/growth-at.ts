// Measures the rate of completed paths and the share of right guesses, up to any moment of a log that may still grow. A later moment reads
// new events only; an earlier one starts over.

import { GrowthMeter, type GrowthTotals, type LoggedEvent, type SearchFold } from '@coppice/core/log';

export class GrowthAt {
  readonly #log: readonly LoggedEvent[];
  #meter = new GrowthMeter();
  #read = 0;

  constructor(log: readonly LoggedEvent[]) {
    this.#log = log;
  }

  at(position: number, moment: SearchFold): GrowthTotals {
    if (position < this.#read) {
      this.#meter = new GrowthMeter();
      this.#read = 0;
    }
    for (; this.#read < position; this.#read += 1) this.#meter.read(this.#log[this.#read]!, moment);
    return this.#meter.total;
  }
}
