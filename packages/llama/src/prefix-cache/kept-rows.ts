// Logits kept for the next sequence on the same path, limited by the count of numbers in all rows. The least recently used row is dropped first.

export interface KeptRow {
  logits: Float32Array | undefined;
}

export class KeptRows {
  readonly #limit: number;
  readonly #rows = new Set<KeptRow>();
  #kept = 0;

  /** `limit`: most logits in all rows together. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Copies the row; undefined if it alone exceeds the limit. */
  keep(row: Float32Array): KeptRow | undefined {
    if (row.length > this.#limit) return undefined;
    for (const oldest of this.#rows) {
      if (this.#kept + row.length <= this.#limit) break;
      this.forget(oldest);
    }
    const kept: KeptRow = { logits: row.slice() };
    this.#rows.add(kept);
    this.#kept += row.length;
    return kept;
  }

  use(kept: KeptRow | undefined): Float32Array | undefined {
    if (kept?.logits === undefined) return undefined;
    this.#rows.delete(kept);
    this.#rows.add(kept);
    return kept.logits;
  }

  forget(kept: KeptRow | undefined): void {
    if (kept?.logits === undefined) return;
    this.#rows.delete(kept);
    this.#kept -= kept.logits.length;
    kept.logits = undefined;
  }
}
