// Decides when the scheduler is asked and what it is shown; applying.ts carries the decision out.

import type { Servers } from '../../scheduler/cycle.ts';
import type { Guessing } from '../../scheduler/speculation-budget.ts';
import type { RuntimeParts } from '../parts/parts.ts';
import { mayGuess } from '../parts/speculation.ts';
import type { Search } from '../search/search.ts';
import type { Applying } from './applying.ts';
import { givenUp } from './exits.ts';
import type { Finishing } from './finishing.ts';

export class Deciding {
  readonly #parts: RuntimeParts;
  readonly #applying: Applying;
  readonly #finishing: Finishing;
  #told = 0;

  constructor(parts: RuntimeParts, applying: Applying, finishing: Finishing) {
    this.#parts = parts;
    this.#applying = applying;
    this.#finishing = finishing;
  }

  decide(nowMs: number): void {
    const { options, searches, queue } = this.#parts;
    if (!searches.isStale && !this.#isSqueezed()) return;
    searches.isStale = false;
    this.#told = 0;
    const { servers } = this;
    const guessing = this.#speculates(searches.live.values()) ? this.guessing : undefined;
    const snapshot = queue.snapshot(nowMs, searches.running.values(), guessing !== undefined);
    const decision = options.scheduler.decide({ ...snapshot, servers, guessing });
    this.#applying.apply(decision, nowMs);
    for (const [id, late] of decision.giveUp) {
      const search = queue.searches.get(id);
      if (search !== undefined) this.#finishing.finish(search, givenUp(search, nowMs, late, options), nowMs);
    }
  }

  /** Redistributes guesses after about one outcome per running search; after every outcome it would cost too much. */
  noteTold(): void {
    this.#told += 1;
    const { searches } = this.#parts;
    if (this.#told < searches.running.size) return;
    this.#told = 0;
    if (this.#speculates(searches.running.values())) searches.isStale = true;
  }

  #speculates(some: Iterable<Search>): boolean {
    const { options, searches } = this.#parts;
    return options.scheduler.speculates === true || (searches.guessers > 0 && mayGuess(some));
  }

  /** Speculation is taken back at once when the engine lacks memory. */
  #isSqueezed(): boolean {
    return this.#parts.speculation.open > 0 && this.guessing.squeezed;
  }

  get servers(): Servers | undefined {
    const { service, leases } = this.#parts;
    return service.servers(leases.taken);
  }

  get guessing(): Guessing {
    const { options, guesses } = this.#parts;
    const { engine } = options;
    const { ridgeSequences } = engine.capabilities;
    return { chances: guesses.chances, squeezed: engine.load().squeezed === true, ridgeSequences };
  }
}
