// Two-phase scheduling (P4 §4.1.2): first every strand that programs ask for, then speculation in what is left. Speculation gets
// nothing while a search waits for a strand or the engine lacks memory; the next decision takes back what others need.

import type { Snapshot } from './scheduler.ts';
import type { Seat } from './seat.ts';
import { type SearchGuesses, sharesAhead, totalAhead } from './speculation-budget.ts';
import { sumOf } from './widths.ts';

interface SecondPhase {
  readonly primary: number;
  readonly idle: number;
  /** Most speculative strands of a search that names no number of its own; undefined while a search waits. */
  readonly usual: number | undefined;
}

export function speculativeWidths(
  seats: readonly Seat[],
  { primary, idle, usual }: SecondPhase,
  { servers, guessing }: Snapshot,
): number[] {
  if (usual === undefined || guessing === undefined || guessing.squeezed) return seats.map(() => 0);
  const guesses = seats.map((seat) => guessesOf(seat, usual));
  const searches = guesses.filter(({ capacity }) => capacity > 0).length;
  const open = sumOf(guesses, (each) => each.open);
  const { ridgeSequences } = guessing;
  const total = totalAhead({ primary, idle, searches, open, servers, ridgeSequences }, guessing.chances);
  return sharesAhead(guesses, guessing.chances[0] ?? 0, total);
}

/** Nothing is known yet of a search that is only now admitted; best-first has more draws of its first step to guess. */
function guessesOf({ running, speculate }: Seat, usual: number): SearchGuesses {
  const most = speculate ?? usual;
  const own = running?.guesses;
  if (own !== undefined) return { ...own, capacity: Math.min(most, own.capacity) };
  return { capacity: running === undefined ? most : 0, open: 0, made: 0, right: 0, kvTokens: 0 };
}
