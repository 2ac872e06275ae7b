// A KV cache made of plain cells. It does what libllama's does, and checks what libllama only assumes: no gap, no position written twice,
// nothing copied onto a used sequence, no more cells than there are. Its logits depend on the sequence's actual path, so that a wrong fork
// or a stale cell changes what is generated. As in libllama, a new token goes to the first free cell.
import { assert } from '../../packages/core/src/base/assert.ts';
import { hash, Random } from '../../packages/core/src/base/random.ts';
import type { Batch } from '../../packages/llama/src/batch/run.ts';
import type { SequenceMemory } from '../../packages/llama/src/prefix-cache/prefix-store.ts';

type Cell = { readonly token: number; readonly position: number; readonly sequences: Set<number> };

/** Sequence that holds buried cells. */
const grave = -1;

export class FakeCache implements SequenceMemory {
  readonly vocabularySize: number;
  readonly #capacity: number;
  readonly #cells: (Cell | undefined)[] = [];
  #logits: Float32Array[] = [];

  constructor(capacity: number, vocabularySize: number) {
    this.#capacity = capacity;
    this.vocabularySize = vocabularySize;
  }

  get usedCells(): number {
    return this.#held.length;
  }

  get #held(): Cell[] {
    return this.#cells.flatMap((cell) => cell ?? []);
  }

  copy(from: number, to: number, start: number, end: number): void {
    assert(this.pathOf(to).length === start, 'copying onto used positions, or leaving a gap');
    for (const cell of this.#held) {
      if (cell.sequences.has(from) && cell.position >= start && cell.position < end) cell.sequences.add(to);
    }
  }

  remove(sequence: number, from: number): void {
    for (const cell of this.#held) if (cell.position >= from) cell.sequences.delete(sequence);
    this.#cells.forEach((cell, at) => {
      if (cell?.sequences.size === 0) this.#cells[at] = undefined;
    });
  }

  bury(sequence: number, from: number): void {
    for (const cell of this.#held) {
      if (cell.position >= from && cell.sequences.delete(sequence)) cell.sequences.add(grave);
    }
  }

  sweep(): void {
    this.remove(grave, 0);
  }

  decode(batch: Batch): void {
    this.#logits = [];
    for (const { run, token, position, wanted } of batch) {
      const { sequence } = run.branch;
      assert(this.pathOf(sequence).length === position, 'positions without gap or overlap');
      const free = this.#cells.indexOf(undefined);
      this.#cells[free < 0 ? this.#cells.length : free] = { token, position, sequences: new Set([sequence]) };
      if (wanted) this.#logits.push(logitsAfter(this.pathOf(sequence), this.vocabularySize));
    }
    assert(this.#cells.length <= this.#capacity, 'cells within the capacity');
  }

  logits(index: number): Float32Array {
    const row = this.#logits[index];
    assert(row !== undefined, 'a row that was wanted');
    return row;
  }

  pathOf(sequence: number): readonly number[] {
    const own = this.#held.filter((cell) => cell.sequences.has(sequence));
    own.sort((left, right) => left.position - right.position);
    own.forEach((cell, index) => {
      assert(cell.position === index, 'one cell per position');
    });
    return own.map((cell) => cell.token);
  }

  /** True if the cells of a sequence lie in the order of its positions. */
  isInOrder(sequence: number): boolean {
    const positions = this.#held.filter((cell) => cell.sequences.has(sequence)).map(({ position }) => position);
    return positions.every((position, at) => at === 0 || positions[at - 1]! < position);
  }
}

/** Pseudo-random logits that change with any token of the path. */
export function logitsAfter(path: readonly number[], vocabularySize: number): Float32Array {
  const random = new Random(hash(...path));
  return Float32Array.from({ length: vocabularySize }, () => random.normal(0, 2));
}
