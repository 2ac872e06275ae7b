// Writes the leases of searches that this node started itself, and the ends of leases, in order and in batches; no caller waits. A late or
// lost lease only costs time if this node dies.

import type { OfferedSearch } from '@coppice/core/journal';
import type { NodeQueue } from './node-queue.ts';

interface EndedSearch {
  readonly id: string;
  readonly model: string;
}

export class LeaseWriter {
  readonly #queue: Pick<NodeQueue, 'hold' | 'complete'>;
  readonly #warn: (what: string, error: unknown) => void;
  #held: OfferedSearch[] = [];
  #ended: EndedSearch[] = [];
  #running: Promise<void> | undefined;

  constructor(queue: Pick<NodeQueue, 'hold' | 'complete'>, warn: (what: string, error: unknown) => void) {
    this.#queue = queue;
    this.#warn = warn;
  }

  hold(search: OfferedSearch): void {
    this.#held.push(search);
    this.retry();
  }

  /** Drops the lease if it is not written yet. */
  complete(search: EndedSearch): void {
    const at = this.#held.findIndex(({ id }) => id === search.id);
    if (at >= 0) this.#held.splice(at, 1);
    else this.#ended.push(search);
    this.retry();
  }

  /** Writes waiting leases and ends. The next call writes those that the database refuses. */
  retry(): void {
    this.#running ??= this.#write()
      .catch((error: unknown) => this.#warn('lease', error))
      .finally(() => {
        this.#running = undefined;
      });
  }

  /** Resolves when the current writes are done or refused. */
  async settled(): Promise<void> {
    await this.#running;
  }

  async #write(): Promise<void> {
    while (this.#held.length + this.#ended.length > 0) {
      const held = this.#held;
      this.#held = [];
      await this.#eachModel(
        held,
        (model, group) => this.#queue.hold(model, group),
        (left) => this.#held.unshift(...left),
      );
      const ended = this.#ended;
      this.#ended = [];
      await this.#eachModel(
        ended,
        (model, group) =>
          this.#queue.complete(
            model,
            group.map(({ id }) => id),
          ),
        (left) => this.#ended.unshift(...left),
      );
    }
  }

  /** Gives a failed batch and the rest to `keep`, and ends the round. */
  async #eachModel<Each extends EndedSearch>(
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
