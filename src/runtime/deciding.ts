// Decides on the budget: when the scheduler is asked again, and what it is shown. Allotment carries its decision out; what it
// gives up ends here.

import type { Servers } from '../scheduler/cycle.ts';
import type { Guessing } from '../scheduler/speculation-budget.ts';
import type { Allotment } from './allotment.ts';
import type { Departure } from './departure.ts';
import { givenUp } from './exits.ts';
import type { RuntimeParts } from './parts.ts';
import type { Search } from './search/search.ts';
import { mayGuess } from './speculation.ts';

type DecidingParts = Pick<
  RuntimeParts,
  'options' | 'roster' | 'queue' | 'leases' | 'speculation' | 'service' | 'guesses'
>;

export class Deciding {
  readonly #parts: DecidingParts;
  readonly #allotment: Allotment;
  readonly #departure: Departure;
  /** Outcomes told since the last decision. */
  #told = 0;

  constructor(parts: DecidingParts, allotment: Allotment, departure: Departure) {
    this.#parts = parts;
    this.#allotment = allotment;
    this.#departure = departure;
  }

  decide(nowMs: number): void {
    const { options, roster, queue } = this.#parts;
    if (!roster.isStale && !this.#isSqueezed()) return;
    roster.isStale = false;
    this.#told = 0;
    const { servers } = this;
    const guessing = this.#speculates(roster.live.values()) ? this.guessing : undefined;
    const snapshot = queue.snapshot(nowMs, roster.running.values(), guessing !== undefined);
    const decision = options.scheduler.decide({ ...snapshot, servers, guessing });
    this.#allotment.apply(decision, nowMs);
    for (const [id, late] of decision.giveUp) {
      const search = queue.searches.get(id);
      if (search !== undefined) this.#departure.finish(search, givenUp(search, nowMs, late, options), nowMs);
    }
  }

  /** Guesses are dealt anew when about every search has been told something: at each outcome it would cost too much. */
  noteTold(): void {
    this.#told += 1;
    const { roster } = this.#parts;
    if (this.#told < roster.running.size) return;
    this.#told = 0;
    if (this.#speculates(roster.running.values())) roster.isStale = true;
  }

  #speculates(searches: Iterable<Search>): boolean {
    const { options, roster } = this.#parts;
    return options.scheduler.speculates === true || (roster.guessers > 0 && mayGuess(searches));
  }

  /** The engine lacks memory while something is speculated on: that is taken back at once. */
  #isSqueezed(): boolean {
    return this.#parts.speculation.open > 0 && this.guessing.squeezed;
  }

  /** Undefined before enough was measured. */
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
