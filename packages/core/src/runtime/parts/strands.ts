// Open strands and their leases. A lease is taken when a strand opens and given back when it closes, by its program or from outside.

import { raise } from '../../base/fault.ts';
import type { Pruning } from '../../exit/prune.ts';
import type { Expansion } from '../../program/program.ts';
import type { Closing, StrandId, TreeEvent } from '../../tree/events.ts';
import { drawKey, type FormKey, formKey } from '../../tree/keys.ts';
import { leastPromising, type Strand } from '../../tree/strand.ts';
import type { Leases } from '../budget/leases.ts';
import type { Search } from '../search/search.ts';
import type { Flights } from './flights.ts';
import type { SearchLogs } from './search-logs.ts';
import type { SearchTable } from './searches.ts';

interface StrandParts {
  readonly leases: Leases;
  readonly flights: Flights;
  readonly searches: SearchTable;
  readonly logs: SearchLogs;
}

export class Strands {
  readonly #parts: StrandParts;

  constructor(parts: StrandParts) {
    this.#parts = parts;
  }

  /** Logs first: a strand opened beyond the width is refused, and closed when its search ends. */
  follow(search: Search, event: TreeEvent): void {
    this.#parts.logs.add(search, event);
    if (event.type === 'closed') this.#parts.searches.isStale = true;
    if (event.type === 'opened') {
      // A program that opens more than it may would take the leases of others.
      const { primary } = search.width;
      if (search.leases.size >= primary)
        raise('bad-event', `strand ${event.strand} is opened beyond a width of ${primary}`);
      search.leases.set(event.strand, this.#parts.leases.take(search.id));
    } else if (event.type === 'closed') {
      const lease = search.leases.get(event.strand);
      if (lease !== undefined) this.#parts.leases.give(lease);
      search.leases.delete(event.strand);
    }
  }

  /** Ends a strand from outside its program and cancels what it waits for. `value` replaces its score. */
  close(search: Search, id: StrandId, closing: Closing, value?: number): void {
    const strand = search.tree.strand(id);
    const early = search.order.takeAll(id, strand.node);
    this.#cancelFor(search, strand);
    search.tree.record({ type: 'closed', strand: id, closing, ...(value === undefined ? {} : { value }) });
    for (const outcome of early) {
      // Preemption takes the strand, not the work: the outcome becomes a ghost.
      if (closing === 'preempted') search.request.program.tell(search.tree, outcome);
      else if (outcome.ok) search.ledger.discarded(outcome.step.tokens);
    }
  }

  prune(search: Search, { strand, rule, evidence, value }: Pruning): void {
    this.#parts.logs.add(search, { type: 'pruned', strand, rule, evidence });
    this.close(search, strand, 'pruned', value);
  }

  #cancelFor(search: Search, { id, node, sampling, manner, probing }: Strand): void {
    const cancel = (index: number, form: FormKey) => {
      const flight = search.flights.get(drawKey(node.key, index, form));
      if (flight !== undefined) this.#parts.flights.cancel(flight);
    };
    if (probing !== undefined) cancel(probing.index, formKey(probing.sampling, probing.manner));
    if (sampling === undefined) return;
    const form = formKey(sampling, manner);
    for (const [index, owner] of node.inFlight ?? []) if (owner === id) cancel(index, form);
  }

  /** Takes leases for the strands of a log as far as the width allows, preempts the others, and gives what to ask again. */
  takeUp(search: Search): Expansion[] {
    const { tree } = search;
    const surplus = tree.strands.size - Math.min(search.width.primary, this.#parts.leases.free);
    if (surplus > 0) for (const strand of leastPromising(tree, surplus)) this.close(search, strand, 'preempted');
    return Array.from(tree.strands.values()).flatMap(({ id, node, sampling, manner, probing }) => {
      search.leases.set(id, this.#parts.leases.take(search.id));
      if (probing !== undefined) return [{ node, ...probing, indices: [probing.index], probe: true as const }];
      const indices = [...(node.inFlight ?? [])].filter(([, owner]) => owner === id).map(([index]) => index);
      if (sampling === undefined) return [];
      return [{ node, indices, sampling, manner }];
    });
  }
}
