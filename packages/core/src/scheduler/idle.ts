// The class of searches that no client waits for: they run on what the others leave idle, and on nothing else. All others are
// decided on first, as if these were not there; then these get strands in the order in which they came in, from what is
// left. One that gets none is parked: it keeps its tree and waits. They do not age into the queue of the others.

import type { Decision, RunningSearch, SearchId, Snapshot, WaitingSearch, Width } from './scheduler.ts';
import { naturalSeats } from './seat.ts';
import { sum } from './widths.ts';

/** Strands of the idle class per strand of the others while any of these runs: more would slow their steps down. */
export const idleBeside = 0.25;

/** `beside`: as `idleBeside`, since idle budget is not an idle engine. */
export function decideWithIdle(
  snapshot: Snapshot,
  beside: number,
  decideOthers: (others: Snapshot) => Decision,
): Decision {
  if (!snapshot.waiting.some(isIdle) && !snapshot.running.some(isIdle)) return decideOthers(snapshot);
  const others = {
    ...snapshot,
    waiting: snapshot.waiting.filter((search) => !isIdle(search)),
    running: snapshot.running.filter((search) => !isIdle(search)),
  };
  const decision = decideOthers(others);
  const held = heldBy(others.running, decision);
  const left = snapshot.budget - held;
  const room = decision.widths.size === 0 ? left : Math.min(left, Math.floor(held * beside));
  return withRest(decision, snapshot, room);
}

function isIdle({ idle }: WaitingSearch | RunningSearch): boolean {
  return idle === true;
}

function heldBy(running: readonly RunningSearch[], { widths, preempt }: Decision): number {
  const open = new Map(running.map(({ id, openStrands }) => [id, openStrands]));
  const held = ([id, { primary, speculative }]: [SearchId, Width]) =>
    Math.max(primary, (open.get(id) ?? 0) - (preempt.get(id) ?? 0)) + speculative;
  return sum(Array.from(widths, held));
}

/** Deals the room out: to those who run, then to the lowest turns of those who wait, each as wide as it is or as is left. */
function withRest(decision: Decision, { running, waiting, budget }: Snapshot, room: number): Decision {
  const widths = new Map(decision.widths);
  const preempt = new Map(decision.preempt);
  const reasons = new Map(decision.reasons);
  const admit = [...decision.admit];
  let left = room;
  const give = (id: SearchId, wanted: number, before: number | undefined) => {
    const primary = Math.min(wanted, left);
    if (primary !== before) reasons.set(id, { rule: 'idle', base: wanted, idle: left });
    left -= primary;
    widths.set(id, { primary, speculative: 0 });
    return primary;
  };
  for (const search of running.filter(isIdle)) {
    const surplus = search.openStrands - give(search.id, naturalSeats(search, budget), search.width.primary);
    if (surplus > 0) preempt.set(search.id, surplus);
  }
  for (const search of waiting.filter(isIdle).sort((a, b) => a.turn - b.turn)) {
    if (left === 0) break;
    give(search.id, naturalSeats(search, budget), undefined);
    admit.push(search.id);
  }
  return { ...decision, admit, widths, preempt, reasons };
}
