// Writes leases of searches that a node started by itself, and their ends, in order and in batches; no caller waits. A late or lost lease only
// costs time if this node dies.

import type { OfferedSearch } from '@coppice/core/journal';
import type { NodeQueue } from './node-queue.ts';

interface OverSearch {
  readonly id: string;
  readonly model: string;
}

export class LeaseWriter {
  readonly #queue: Pick<NodeQueue, 'hold' | 'complete'>;
  readonly #warn: (what: string, error: unknown) => void;
  #held: OfferedSearch[] = [];
  #over: OverSearch[] = [];
  #running: Promise<void> | undefined;

  constructor(queue: Pick<NodeQueue, 'hold' | 'complete'>, warn: (what: string, error: unknown) => void) {
    this.#queue = queue;
    this.#warn = warn;
  }

  hold(search: OfferedSearch): void {
    this.#held.push(search);
    this.retry();
  }

  /** A search that ended before its lease was written needs none. */
  complete(search: OverSearch): void {
    const at = this.#held.findIndex(({ id }) => id === search.id);
    if (at >= 0) this.#held.splice(at, 1);
    else this.#over.push(search);
    this.retry();
  }

  /** Writes waiting leases and ends; those that the database refuses wait for the next call. */
  retry(): void {
    this.#running ??= this.#write()
      .catch((error: unknown) => this.#warn('lease', error))
      .finally(() => {
        this.#running = undefined;
      });
  }

  /** Resolves when the writes under way are done or refused. */
  async settled(): Promise<void> {
    await this.#running;
  }

  async #write(): Promise<void> {
    while (this.#held.length + this.#over.length > 0) {
      const held = this.#held;
      this.#held = [];
      await this.#eachModel(
        held,
        (model, group) => this.#queue.hold(model, group),
        (left) => this.#held.unshift(...left),
      );
      const over = this.#over;
      this.#over = [];
      await this.#eachModel(
        over,
        (model, group) =>
          this.#queue.complete(
            model,
            group.map(({ id }) => id),
          ),
        (left) => this.#over.unshift(...left),
      );
    }
  }

  /** A failed batch goes to `keep`, and ends the round. */
  async #eachModel<Each extends OverSearch>(
    searches: readonly Each[],
    write: (model: string, group: readonly Each[]) => Promise<void>,
    keep: (left: readonly Each[]) => void,
  ): Promise<void> {
    const groups = [...Map.groupBy(searches, ({ model }) => model)];
    for (const [at, [model, group]] of groups.entries()) {
      try {
        await write(model, group);
      } catch (error) {
        keep(groups.slice(at).flatMap(([, left]) => left));
        throw error;
      }
    }
  }
}
