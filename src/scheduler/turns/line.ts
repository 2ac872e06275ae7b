// Who waits for one budget, each with its turn and the strands it will take; and how far the line has been served, which
// is what a new turn begins from. Keeps facts, never an order: whom to admit is decided from the turns alone.

import { assert } from '../../base/assert.ts';
import { defaultAgeingSeconds, turnOf } from './turn.ts';

/** Whose searches share the line by weight. */
export interface LineKey {
  readonly name: string;
  readonly share: number;
}

export interface LineFacts {
  readonly arrivalMs: number;
  readonly priority: number;
  /** Strands it takes without a boost. */
  readonly seats: number;
  readonly key?: LineKey;
  /** What its work is estimated by; missing for what is short by nature. */
  readonly kind?: string;
  readonly workSeconds?: number | undefined;
  /** It waits in a line of its own, behind all work that is not idle. */
  readonly idle?: boolean;
  /** A turn that was given before, by a process that is gone. */
  readonly turn?: number;
}

interface LinePlace {
  readonly turn: number;
  readonly finish: number;
  readonly seats: number;
  readonly key: string | undefined;
}

export class TurnLine {
  readonly #ageingSeconds: number;
  readonly #places = new Map<string, LinePlace>();
  /** Per key: the finish of its last search, and how many of its searches wait. */
  readonly #keys = new Map<string, { last: number; waiting: number }>();
  #serving = 0;
  #seats = 0;

  constructor(ageingSeconds: number = defaultAgeingSeconds) {
    this.#ageingSeconds = ageingSeconds;
  }

  get size(): number {
    return this.#places.size;
  }

  /** Strands that all who wait will take. */
  get seats(): number {
    return this.#seats;
  }

  /** Undefined where it does not wait. */
  turn(id: string): number | undefined {
    return this.#places.get(id)?.turn;
  }

  /** Fixes the turn of a search and counts it as waiting until it is served or leaves. */
  take(id: string, facts: LineFacts): number {
    assert(!this.#places.has(id), `${id} waits already`);
    const { turn, finish } = this.#turn(facts);
    const name = facts.key?.name;
    if (this.#places.size === 0) this.#serving = facts.arrivalMs / 1000;
    this.#places.set(id, { turn, finish, seats: facts.seats, key: name });
    this.#seats += facts.seats;
    if (name === undefined) return turn;
    const key = this.#keys.get(name);
    this.#keys.set(name, { last: Math.max(finish, key?.last ?? finish), waiting: (key?.waiting ?? 0) + 1 });
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
    this.#seats -= place.seats;
    const key = place.key === undefined ? undefined : this.#keys.get(place.key);
    if (key === undefined) return;
    key.waiting -= 1;
    if (key.waiting === 0) this.#keys.delete(place.key!);
  }

  /** The turn that a search would get, without taking it. */
  turnFor(facts: LineFacts): number {
    return this.#turn(facts).turn;
  }

  /** Strands of those who go before a turn. */
  seatsBefore(turn: number): number {
    let seats = 0;
    for (const place of this.#places.values()) if (place.turn <= turn) seats += place.seats;
    return seats;
  }

  #turn({ arrivalMs, priority, key, workSeconds, turn }: LineFacts) {
    if (turn !== undefined) return { turn, finish: turn + priority * this.#ageingSeconds };
    const facts = { arrivalMs, priority, workSeconds };
    if (key === undefined) return turnOf(facts, this.#ageingSeconds);
    const serving = this.#places.size === 0 ? undefined : this.#serving;
    const standing = { share: key.share, serving, last: this.#keys.get(key.name)?.last };
    return turnOf({ ...facts, key: standing }, this.#ageingSeconds);
  }
}
