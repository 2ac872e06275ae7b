// Speculation: spare budget spent on what a program will probably ask for next. Each speculative expansion holds one
// lease, until its last child has been answered or adopted. Its children count in no vote or statistic before the program
// asks for them itself; what it asks for is adopted on its way, or taken from its ghost. The state is the search's own.

import { assert } from '../base/assert.ts';
import type { Expansion } from '../program/program.ts';
import { drawKey, formKey } from '../tree/keys.ts';
import type { Flights } from './flights.ts';
import type { Leases } from './queue/leases.ts';
import type { Flight, Search } from './search.ts';

export class Speculation {
  readonly #leases: Leases;
  readonly #flights: Flights;
  /** A search has room for another speculation. */
  readonly #onRoom: (search: Search) => void;

  constructor(leases: Leases, flights: Flights, onRoom: (search: Search) => void) {
    this.#leases = leases;
    this.#flights = flights;
    this.#onRoom = onRoom;
  }

  /** Fills the speculative width with what the program foresees and nobody has asked for yet. */
  fill(search: Search, nowMs: number): void {
    const { request, tree, speculations, width } = search;
    if (speculations.size >= width.speculative) return;
    for (const expansion of request.program.foresee(tree, width.speculative, search.doomed(nowMs))) {
      if (speculations.size >= width.speculative) return;
      const { node, sampling } = expansion;
      const form = formKey(sampling);
      const indices = expansion.indices.filter((index) => !search.knows(drawKey(node.key, index, form)));
      if (indices.length === 0 || speculations.has(node.key)) continue;
      speculations.set(node.key, { lease: this.#leases.take(search.id), remaining: indices.length });
      this.#flights.start(search, expansion, indices, 'speculative', nowMs);
    }
  }

  /** Gives up all but so many, the latest first. */
  shrink(search: Search, most: number): void {
    while (search.speculations.size > most) this.#dropLatest(search);
  }

  /** Of what the program asks for, each child comes from a ghost, from a flight that is adopted, or from the engine. */
  launch(search: Search, expansion: Expansion, nowMs: number): void {
    const { node, sampling } = expansion;
    const form = formKey(sampling);
    const indices = expansion.indices.filter((index) => {
      const draw = drawKey(node.key, index, form);
      const ghost = search.tree.ghosts.get(draw);
      const flight = search.flights.get(draw);
      if (ghost !== undefined) this.#flights.promote(search, node.id, ghost);
      else if (flight !== undefined) this.#adopt(flight);
      return ghost === undefined && flight === undefined;
    });
    this.#flights.start(search, expansion, indices, 'primary', nowMs);
  }

  #adopt(flight: Flight): void {
    if (flight.lane === 'primary') return;
    flight.lane = 'primary';
    this.#settle(flight);
  }

  landed(flight: Flight): void {
    if (flight.lane === 'speculative') this.#settle(flight);
  }

  #settle({ search, node }: Flight): void {
    const speculation = search.speculations.get(node.key);
    if (speculation === undefined) return;
    speculation.remaining -= 1;
    if (speculation.remaining > 0) return;
    search.speculations.delete(node.key);
    this.#leases.give(speculation.lease);
    this.#onRoom(search);
  }

  #dropLatest(search: Search): void {
    const latest = [...search.speculations].at(-1);
    assert(latest !== undefined, 'there is no speculation to drop');
    const [node, { lease }] = latest;
    for (const flight of [...search.flights.values()]) {
      if (flight.node.key === node && flight.lane === 'speculative') this.#flights.cancel(flight);
    }
    search.speculations.delete(node);
    this.#leases.give(lease);
  }
}
