// One libllama context: a KV cache and the decode call on it. Logits are views of native memory, valid until the next decode. One thread
// owns a context; its owner closes it.

import { assert, raise } from '@coppice/core/base';
import {
  type Binding,
  flashAttentionOff,
  flashAttentionOn,
  ggmlTypeF16,
  ggmlTypeF32,
  type NativeBatch,
  type Pointer,
} from '../native/binding.ts';
import type { Model } from '../native/model.ts';
import type { SequenceMemory } from '../prefix-cache/prefix-store.ts';

export interface ContextOptions {
  /** KV cells for all sequences together; each used cell costs every row a little. */
  readonly cells: number;
  /** Compute threads. More than one only helps on idle cores: one busy neighbour stalls them all. */
  readonly threads: number;
  readonly rows: number;
  /** Flash attention with a 16-bit cache: fastest, and below 64 rows independent of the batch. Off: a 32-bit cache. */
  readonly flashAttention: boolean;
  readonly adapter?: Pointer;
}

export interface ContextRow {
  readonly token: number;
  readonly position: number;
  readonly sequence: number;
  readonly wanted: boolean;
}

/** The native sequence after these holds buried cells. */
export const maxSequences = 255;
const burialSequence = maxSequences;

const pointerBytes = 8;
const bytesPerRow = 4 + 4 + 4 + 4 + pointerBytes + 1;

export class Context implements SequenceMemory {
  readonly cells: number;
  readonly #binding: Binding;
  readonly handle: Pointer;
  readonly #memory: Pointer;
  readonly #vocabularySize: number;
  readonly #rows: number;
  readonly #tokens: Int32Array;
  readonly #positions: Int32Array;
  readonly #sequences: Int32Array;
  readonly #wanted: Int8Array;
  readonly #batch: NativeBatch;
  #logitsAt: Pointer = 0n;
  #logits: Float32Array = new Float32Array(0);
  #wantedRows = 0;
  #closed = false;

  private constructor(binding: Binding, handle: Pointer, vocabularySize: number, rows: number) {
    this.#binding = binding;
    this.handle = handle;
    this.#memory = binding.memory(handle);
    this.#vocabularySize = vocabularySize;
    this.#rows = rows;
    this.cells = binding.contextCells(handle);
    // One block of memory: the pointers first (alignment), then four columns of int32, then the flags.
    const memory = new ArrayBuffer(rows * bytesPerRow);
    const block = binding.address(new Uint8Array(memory));
    const column = (index: number) => rows * (pointerBytes + 4 * index);
    const address = (index: number) => block + BigInt(column(index));
    this.#tokens = new Int32Array(memory, column(0), rows);
    this.#positions = new Int32Array(memory, column(1), rows);
    new Int32Array(memory, column(2), rows).fill(1); // each row belongs to one sequence
    this.#sequences = new Int32Array(memory, column(3), rows);
    this.#wanted = new Int8Array(memory, column(4), rows);
    const pointers = new BigUint64Array(memory, 0, rows);
    for (let row = 0; row < rows; row += 1) pointers[row] = address(3) + BigInt(4 * row);
    const columns = {
      token: address(0),
      pos: address(1),
      n_seq_id: address(2),
      seq_id: block,
      logits: address(4),
    };
    this.#batch = { n_tokens: 0, embd: null, ...columns };
  }

  static create(binding: Binding, model: Model, options: ContextOptions): Context {
    const batch = Math.max(options.rows, maxSequences + 1); // libllama keeps room for a row of logits per sequence
    const cacheType = options.flashAttention ? ggmlTypeF16 : ggmlTypeF32;
    const handle = binding.createContext(model.handle, {
      ...binding.contextDefaults(),
      n_ctx: Math.max(options.cells, batch), // libllama would silently reduce the batch to a smaller context
      n_batch: batch,
      n_ubatch: batch,
      n_seq_max: maxSequences + 1,
      n_threads: options.threads,
      n_threads_batch: options.threads,
      kv_unified: true,
      flash_attn_type: options.flashAttention ? flashAttentionOn : flashAttentionOff,
      type_k: cacheType,
      type_v: cacheType,
    });
    if (handle === null) {
      return raise(
        'bad-setting',
        `no room for a KV cache of ${options.cells} tokens for ${model.path}; lower the number of KV tokens`,
      );
    }
    const { adapter } = options;
    if (adapter !== undefined && binding.setAdapters(handle, BigUint64Array.of(adapter), 1, Float32Array.of(1)) !== 0) {
      binding.freeContext(handle);
      return raise('internal', `libllama could not set the adapter on a context of ${model.path}`);
    }
    return new Context(binding, handle, model.vocabularySize, options.rows);
  }

  /** Sets the threads of decodes; results do not depend on their number. */
  setThreads(threads: number): void {
    this.#binding.setThreads(this.handle, threads, threads);
  }

  /** False if the cache had no cells for the rows; then nothing has changed. */
  decode(rows: readonly ContextRow[]): boolean {
    assert(rows.length > 0 && rows.length <= this.#rows, 'rows within the context');
    this.#wantedRows = 0;
    rows.forEach((row, index) => {
      this.#wantedRows += row.wanted ? 1 : 0;
      this.#tokens[index] = row.token;
      this.#positions[index] = row.position;
      this.#sequences[index] = row.sequence;
      this.#wanted[index] = row.wanted ? 1 : 0;
    });
    const status = this.#binding.decode(this.handle, { ...this.#batch, n_tokens: rows.length });
    if (status === 1) return false;
    if (status !== 0) return raise('internal', `libllama refused a batch of ${rows.length} rows (status ${status})`);
    return true;
  }

  /** Logits of the `index`-th wanted row of the last decode; the next decode overwrites them. */
  logits(index: number): Float32Array {
    const size = this.#vocabularySize;
    const at = this.#binding.logits(this.handle);
    if (at !== this.#logitsAt || this.#logits.length < (index + 1) * size) {
      this.#logitsAt = at;
      const rows = Math.max(this.#wantedRows, index + 1);
      this.#logits = new Float32Array(this.#binding.view(at, rows * size * 4), 0, rows * size);
    }
    return this.#logits.subarray(index * size, (index + 1) * size);
  }

  copy(from: number, to: number, start: number, end: number): void {
    this.#binding.removeSequence(this.#memory, to, start, -1); // a copy onto used positions would be silently wrong
    this.#binding.copySequence(this.#memory, from, to, start, end);
  }

  remove(sequence: number, from: number): void {
    if (this.#binding.removeSequence(this.#memory, sequence, from, -1)) return;
    raise(
      'unsupported',
      'this model keeps a state that cannot be cut back (recurrent or hybrid); it cannot grow trees',
    );
  }

  bury(sequence: number, from: number): void {
    this.#binding.copySequence(this.#memory, sequence, burialSequence, from, -1);
    this.remove(sequence, from);
  }

  sweep(): void {
    this.remove(burialSequence, 0);
  }

  lengthOf(sequence: number): number {
    return this.#binding.lastPosition(this.#memory, sequence) + 1;
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#logits = new Float32Array(0);
    this.#binding.freeContext(this.handle);
  }
}
