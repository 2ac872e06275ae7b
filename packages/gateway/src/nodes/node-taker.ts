// Serves the queue between nodes: says whether there is room, takes searches up and lets them go. The queue alone decides which is next.

import type { Journal, Plain, Taker, WindowUse } from '@coppice/core/journal';
import type { NodeReport } from '../observe/overview/overview.ts';
import type { UsageMeter } from '../observe/usage.ts';
import { type LiveSearchFacts, mayMove } from '../searches/live-search.ts';
import type { Searches } from '../searches/searches.ts';

interface NodeOptions {
  readonly node: string;
  readonly report: () => NodeReport;
  readonly usage?: Pick<UsageMeter, 'windows' | 'learn'>;
}

export class NodeTaker implements Taker {
  readonly #searches: Searches;
  readonly #journal: Journal;
  readonly #options: NodeOptions;
  /** Strands that the last search of a model wanted: a guess for the next one. */
  readonly #seats = new Map<string, number>();

  constructor(searches: Searches, journal: Journal, options: NodeOptions) {
    this.#options = options;
    this.#searches = searches;
    this.#journal = journal;
  }

  /** True if one more search would start at once. A search that would wait here may start elsewhere. */
  hasRoom(name: string): boolean {
    const model = this.#searches.models.get(name);
    if (model === undefined || !model.healthy || this.#journal.trouble !== undefined) return false;
    return model.runtime.queue.forecast({ arrivalMs: 0, priority: 0, seats: this.#seats.get(name) ?? 1 }).fits;
  }

  async takeUp(id: string): Promise<'runs' | 'over' | 'missed'> {
    // The lease was lost, and came back before another node had the search.
    if (this.#searches.find(id) !== undefined) return 'runs';
    const record = await this.#journal.find(id);
    if (record === undefined || record.endedMs !== undefined) return 'over';
    if (await this.#searches.recoverOne(record)) {
      const { plan } = this.#searches.find(id)?.facts ?? {};
      if (plan !== undefined) this.#seats.set(plan.model, this.#searches.find(id)?.built.program.naturalWidth ?? 1);
      return 'runs';
    }
    const now = await this.#journal.find(id);
    return now === undefined || now.endedMs !== undefined ? 'over' : 'missed';
  }

  cancel(id: string): void {
    const search = this.#searches.find(id);
    if (search !== undefined) this.#searches.cancel(search);
  }

  has(id: string): boolean {
    return this.#searches.find(id) !== undefined;
  }

  lose(id: string): void {
    this.#searches.lose(id);
  }

  divide(sharersOf: (url: string) => number): void {
    for (const model of this.#searches.models.values()) model.divide(sharersOf);
  }

  servers(): readonly string[] {
    return [...this.#searches.models.values()].flatMap(({ servers }) => servers);
  }

  report(): Plain {
    return this.#options.report() as unknown as Plain;
  }

  used(): readonly WindowUse[] {
    return this.#options.usage?.windows() ?? [];
  }

  usedElsewhere(used: readonly WindowUse[]): void {
    this.#options.usage?.learn(used);
  }

  /** Stops every search that no client of this node waits for. Resolves to them when all of their entries are in the journal. */
  async letGo(): Promise<LiveSearchFacts[]> {
    const going = [...this.#searches.live].filter(
      (search) => search.ended === undefined && mayMove(search) && search.facts.home !== this.#options.node,
    );
    await this.#searches.handOver(going);
    await this.#journal.flush();
    return going.map(({ facts }) => facts);
  }
}
