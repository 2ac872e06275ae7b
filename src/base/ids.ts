// Names that are made by counting, so that the same run makes the same names.

export class Counter {
  #next: number;

  constructor(first = 0) {
    this.#next = first;
  }

  take(): number {
    const value = this.#next;
    this.#next += 1;
    return value;
  }
}
