// What must hold of any run, read off its log by code that shares nothing with the runtime. Each gives a complaint or
// nothing.

import { eventsIn } from '../../packages/core/src/log/entry.ts';
import { isTreeEvent, type LoggedEvent } from '../../packages/core/src/log/events.ts';
import { type Expansions, readExpansions } from '../../packages/core/src/testing/program/expansions.ts';
import type { Storm } from './storm.ts';

export type Checker = (storm: Storm) => string | undefined;

/** Open strands never exceed M, at any event; nor do leases, speculation included. */
export const budgetHolds: Checker = ({ log, budget, mostLeases }) => {
  let open = 0;
  for (const { event, search, sequence } of log) {
    if (event.type === 'opened') open += 1;
    if (event.type === 'closed') open -= 1;
    if (open > budget) return `${open} strands open of ${budget} at ${search}#${sequence}`;
  }
  if (open !== 0) return `${open} strands are still open`;
  return mostLeases > budget ? `${mostLeases} leases of ${budget}` : undefined;
};

export const leasesReturned: Checker = ({ leasesLeft, inFlightLeft }) => {
  if (leasesLeft !== 0) return `${leasesLeft} leases were not returned`;
  return inFlightLeft === 0 ? undefined : `${inFlightLeft} requests are still in flight`;
};

export const endsOnceWithReason: Checker = ({ log, submitted, results }) => {
  const exits = new Map<string, number>();
  for (const { search, event } of log) if (event.type === 'exited') exits.set(search, (exits.get(search) ?? 0) + 1);
  for (const id of submitted) if (exits.get(id) !== 1) return `${id} ended ${exits.get(id) ?? 0} times`;
  if (results.length !== submitted.length) return `${results.length} results for ${submitted.length} searches`;
  const mute = results.find(({ exit }) => exit.rule === '');
  return mute && `${mute.id} ended without a reason`;
};

/** After its end a search says what it cost, once, and nothing more; its log has no gap. */
export const logsAreWhole: Checker = ({ log }) => {
  const last = new Map<string, number>();
  const ended = new Set<string>();
  const settled = new Set<string>();
  for (const { search, sequence, event } of log) {
    const before = last.get(search) ?? -1;
    if (sequence !== before + 1 && (sequence !== before || before < 0))
      return `${search}#${sequence} follows ${before}`;
    if (settled.has(search) || (event.type === 'cost') !== ended.has(search)) {
      return `${search} says '${event.type}' ${ended.has(search) ? 'after' : 'before'} its end`;
    }
    last.set(search, sequence);
    if (event.type === 'exited') ended.add(search);
    if (event.type === 'cost') settled.add(search);
  }
  return [...ended].find((search) => !settled.has(search))?.concat(' never says what it cost');
};

/** What a journal is given says the same as what listeners were told, in whole entries, each with a number of its own. */
export const entriesAreTheLog: Checker = ({ log, entries }) => {
  const bySearch = (events: readonly LoggedEvent[]) => Map.groupBy(events, ({ search }) => search);
  const [told, stored] = [bySearch(log), bySearch(entries.flatMap(eventsIn))];
  for (const [search, events] of told) {
    if (JSON.stringify(stored.get(search)) !== JSON.stringify(events)) return `${search} is stored otherwise than told`;
  }
  for (const [search, own] of Map.groupBy(entries, (entry) => entry.search)) {
    if (own.some(({ sequence }, at) => sequence !== at)) return `the entries of ${search} have a gap`;
  }
  return told.size === stored.size ? undefined : 'a search is stored that nobody was told of';
};

/** Every search that is admitted gets a strand before it ends, unless it was cut off by time, cancel or failure. */
export const nobodyStarves: Checker = ({ log }) => {
  const opened = new Set<string>();
  const admitted = new Set<string>();
  for (const { search, event } of log) {
    if (event.type === 'admitted') admitted.add(search);
    if (event.type === 'opened') opened.add(search);
    if (event.type !== 'exited' || opened.has(search)) continue;
    const excused = event.exit.kind === 'deadline' || event.exit.kind === 'cancelled';
    if (admitted.has(search) && !excused) return `${search} was admitted, got no strand and ended '${event.exit.kind}'`;
    if (!admitted.has(search) && !excused) return `${search} was never admitted and ended '${event.exit.kind}'`;
  }
  return undefined;
};

/** No child is asked for twice at the same time, and no key grows twice. */
export const keysAreUnique: Checker = ({ log }) => {
  const grown = new Set<string>();
  for (const { search, event } of log) {
    if (event.type !== 'grown' && event.type !== 'adopted' && event.type !== 'merged') continue;
    const key = `${search} ${event.parent}/${event.index}`;
    if (grown.has(key)) return `${key} grew twice`;
    grown.add(key);
  }
  return undefined;
};

export function expansionsOf({ log }: Storm, id: string): Expansions {
  const events = log.filter(({ search }) => search === id).map(({ event }) => event);
  return readExpansions(events.filter(isTreeEvent));
}

/** Nothing is asked below an expansion that was preempted before it is completed. */
export const expansionsAreCompleted: Checker = (storm) => {
  for (const id of storm.expandingOnce) {
    const { passedOver } = expansionsOf(storm, id);
    if (passedOver !== undefined) return `${id} went on below node ${passedOver} without its missing children`;
  }
  return undefined;
};

/** Parts of our own throw in no weather. */
export const nothingThrows: Checker = ({ results }) => {
  const thrown = results.find(({ exit }) => exit.rule === 'threw');
  return thrown && `${thrown.id} ended since a part threw: ${JSON.stringify(thrown.exit.evidence)}`;
};

export const checkers: Readonly<Record<string, Checker>> = {
  budgetHolds,
  leasesReturned,
  endsOnceWithReason,
  logsAreWhole,
  entriesAreTheLog,
  nobodyStarves,
  keysAreUnique,
  expansionsAreCompleted,
  nothingThrows,
};
