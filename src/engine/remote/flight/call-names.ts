// Names of calls: of fixed length, since SGLang aborts by prefix, and different from those of another engine on the same
// server.

import { hash } from '../../../base/random.ts';

export class CallNames {
  readonly #engine: string;
  #next = 0;

  constructor(seed: number, nowMs: number) {
    this.#engine = hash(seed, process.pid, nowMs * 1000)
      .toString(16)
      .padStart(8, '0');
  }

  take(): string {
    this.#next += 1;
    return `coppice-${this.#engine}-${String(this.#next).padStart(10, '0')}`;
  }
}
