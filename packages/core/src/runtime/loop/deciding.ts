// Decides when the scheduler is asked and what it is shown; applying.ts carries the decision out.

import type { Guessing } from '../../scheduler/speculation-budget.ts';
import type { RuntimeParts } from '../parts/parts.ts';
import type { Search } from '../search/search.ts';
import { apply } from './applying.ts';
import { givenUp } from './exits.ts';
import { finish } from './finishing.ts';

export function decide(parts: RuntimeParts, nowMs: number): void {
  const { options, searches, queue, speculation, service, leases } = parts;
  // Speculation is taken back at once when the engine lacks memory.
  if (!searches.isStale && !(speculation.open > 0 && guessingOf(parts).squeezed)) return;
  searches.isStale = false;
  searches.told = 0;
  const servers = service.servers(leases.taken);
  const guessing = speculates(parts, searches.live.values()) ? guessingOf(parts) : undefined;
  const snapshot = queue.snapshot(nowMs, searches.running.values(), guessing !== undefined);
  const decision = options.scheduler.decide({ ...snapshot, servers, guessing });
  apply(parts, decision, nowMs);
  for (const [id, late] of decision.giveUp) {
    const search = queue.searches.get(id);
    if (search !== undefined) finish(parts, search, givenUp(search, nowMs, late, options), nowMs);
  }
}

/** Redistributes guesses after about one outcome per running search; after every outcome it would cost too much. */
export function noteTold(parts: RuntimeParts): void {
  const { searches } = parts;
  searches.told += 1;
  if (searches.told < searches.running.size) return;
  searches.told = 0;
  if (speculates(parts, searches.running.values())) searches.isStale = true;
}

function speculates({ options, searches }: RuntimeParts, some: Iterable<Search>): boolean {
  if (options.scheduler.speculates === true) return true;
  if (searches.guessers > 0) for (const { mayGuess } of some) if (mayGuess) return true;
  return false;
}

function guessingOf({ options, guesses }: RuntimeParts): Guessing {
  const { engine } = options;
  const { ridgeSequences } = engine.capabilities;
  return { chances: guesses.chances, squeezed: engine.load().squeezed === true, ridgeSequences };
}
