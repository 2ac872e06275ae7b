// Weighted fair queueing: the order of searches as one number. A search's turn is fixed when it is accepted and never changes; lower goes
// first, in every queue that searches wait in. It is a virtual finish time (self-clocked: the line's own progress is its clock), in
// seconds. `TurnLine` keeps who waits for one budget, and how far the line has been served; it keeps facts, never an order.

import { assert } from '../../base/assert.ts';

interface KeyStanding {
  /** Weight of the key: twice the share, twice the searches in the same stretch of the line. */
  readonly share: number;
  /** The finish of the search that was served last while others waited; undefined where none waits. */
  readonly serving: number | undefined;
  /** The finish of the key's last search that still waits; undefined where none does. */
  readonly last: number | undefined;
}

interface TurnFacts extends Pick<LineFacts, 'arrivalMs' | 'priority' | 'workSeconds' | 'session'> {
  /** Missing where no keys share the line. */
  readonly key?: KeyStanding;
}

interface Turn {
  readonly turn: number;
  /** The turn without its priority: where the key's next search begins to count. */
  readonly finish: number;
}

/** A waiting search gains one unit of priority a minute, so that none starves. */
export const ageingSeconds = 60;

/** Seconds that a session's turn may stand before its arrival, or behind it; and those behind for a second of service beyond its part. */
const mostAhead = 3600;
const mostBehind = 600;
const perServedSecond = 16;

/** A turn of a session that has begun and has not had its part. */
function isDue({ session, arrivalMs }: Pick<LineFacts, 'session' | 'arrivalMs'>): boolean {
  return session !== undefined && session.sinceMs < arrivalMs && !session.overSeconds;
}

/** Sessions stand where they began, and from their part on by what they have been served: least attained service first. */
function comingFrom({ arrivalMs, session }: TurnFacts): number {
  const arrival = arrivalMs / 1000;
  if (session === undefined) return arrival;
  const place = session.sinceMs / 1000 + perServedSecond * (session.overSeconds ?? 0);
  return Math.min(arrival + mostBehind, Math.max(arrival - mostAhead, place));
}

/**
 * Without keys: arrival and expected work, minus what the priority is worth: the shorter goes first, and no search is overtaken by
 * a search that comes later by more than it is shorter. With keys: a search begins where the line stands or where its
 * key's last waiting search ends, whichever is later, and finish = start + work / share (weighted fair queueing). Idle keys
 * earn no credit, and a key that floods the line is overtaken by all others, in proportion to their shares. A due turn of a
 * session waits for the due turns of its key alone.
 */
export function turnOf(facts: TurnFacts): Turn {
  const { arrivalMs, priority, key, workSeconds } = facts;
  const finish =
    key === undefined
      ? comingFrom(facts) + (workSeconds ?? 0)
      : startOf(key, arrivalMs) + (workSeconds ?? 1) / key.share;
  return { turn: finish - priority * ageingSeconds, finish };
}

function startOf({ serving, last }: KeyStanding, arrivalMs: number): number {
  const line = serving ?? arrivalMs / 1000;
  return last === undefined ? line : Math.max(line, last);
}

export interface LineKey {
  readonly name: string;
  readonly share: number;
}

export interface LineFacts {
  readonly arrivalMs: number;
  /** Higher goes first: one unit is worth `ageingSeconds`. */
  readonly priority: number;
  /** Strands it takes without a boost. */
  readonly seats: number;
  readonly key?: LineKey;
  /** Kind by which its work is estimated; missing for what is short by nature. */
  readonly kind?: string;
  /** Expected work, where the order goes by it; else all count alike. */
  readonly workSeconds?: number | undefined;
  /** It waits in a line of its own, behind all work that is not idle. */
  readonly idle?: boolean;
  /** When its session began, the seconds that it was served, and those of them beyond the part that every session has. */
  readonly session?: { readonly sinceMs: number; readonly seconds: number; readonly overSeconds?: number } | undefined;
  /** A turn that was given before, by a process that is gone. */
  readonly turn?: number;
}

interface LinePlace extends Turn {
  readonly seats: number;
  readonly key: string | undefined;
}

interface KeyPlaces {
  /** The finish of its last search. */
  readonly last: number;
  /** The finish of its last turn that was due. */
  readonly due: number | undefined;
  waiting: number;
}

export class TurnLine {
  readonly #places = new Map<string, LinePlace>();
  readonly #keys = new Map<string, KeyPlaces>();
  #serving = 0;
  seats = 0;

  turn(id: string): number | undefined {
    return this.#places.get(id)?.turn;
  }

  /** Fixes the turn of a search and counts it as waiting until it is served or leaves. */
  take(id: string, facts: LineFacts): number {
    assert(!this.#places.has(id), `${id} waits already`);
    const { turn, finish } = this.#turn(facts);
    const { key, workSeconds = 1 } = facts;
    if (this.#places.size === 0) this.#serving = facts.arrivalMs / 1000;
    this.#places.set(id, { turn, finish, seats: facts.seats, key: key?.name });
    this.seats += facts.seats;
    if (key === undefined) return turn;
    const { last = finish, due, waiting = 0 } = this.#keys.get(key.name) ?? {};
    // What goes before others of its key moves those back that are yet to come: no key gains by it.
    const moved = isDue(facts) && waiting > 0 ? last + workSeconds / key.share : last;
    this.#keys.set(key.name, { last: Math.max(finish, moved), due: isDue(facts) ? finish : due, waiting: waiting + 1 });
    return turn;
  }

  /** It is admitted: the line has come as far as its finish. */
  serve(id: string): void {
    const place = this.#places.get(id);
    if (place !== undefined) this.#serving = Math.max(this.#serving, place.finish);
    this.leave(id);
  }

  /** It waits no more, whatever became of it. */
  leave(id: string): void {
    const place = this.#places.get(id);
    if (place === undefined) return;
    this.#places.delete(id);
    this.seats -= place.seats;
    const key = place.key === undefined ? undefined : this.#keys.get(place.key);
    if (key === undefined) return;
    key.waiting -= 1;
    if (key.waiting === 0) this.#keys.delete(place.key!);
  }

  turnFor(facts: LineFacts): number {
    return this.#turn(facts).turn;
  }

  seatsBefore(turn: number): number {
    let seats = 0;
    for (const place of this.#places.values()) if (place.turn <= turn) seats += place.seats;
    return seats;
  }

  #turn({ arrivalMs, priority, key, workSeconds, session, turn }: LineFacts) {
    if (turn !== undefined) return { turn, finish: turn + priority * ageingSeconds };
    const facts = { arrivalMs, priority, workSeconds, session };
    if (key === undefined) return turnOf(facts);
    const serving = this.#places.size === 0 ? undefined : this.#serving;
    const places = this.#keys.get(key.name);
    const standing = { share: key.share, serving, last: isDue(facts) ? places?.due : places?.last };
    return turnOf({ ...facts, key: standing });
  }
}
