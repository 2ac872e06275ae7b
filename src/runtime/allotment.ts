// Carries out what the scheduler has decided, search by search: who gives strands back, how wide each is, who comes in, and
// where its requests stand. It decides nothing; whoever can use more than before, or has lost a strand, is named to be asked again.

import { assert } from '../base/assert.ts';
import type { SearchEvent } from '../log/events.ts';
import type { Decision, Reason, Width } from '../scheduler/scheduler.ts';
import { tellingUrgency } from '../scheduler/turns/order.ts';
import type { Alarms } from './alarms.ts';
import type { Flights } from './flights.ts';
import type { Queue } from './queue/queue.ts';
import type { Roster } from './roster.ts';
import type { Search } from './search/search.ts';
import type { Speculation } from './speculation.ts';
import type { Strands } from './strands.ts';

export interface AllotmentOptions {
  readonly roster: Roster;
  readonly queue: Queue<Search>;
  readonly alarms: Alarms;
  readonly strands: Strands;
  readonly flights: Flights;
  readonly speculation: Speculation;
  readonly log: (search: Search, event: SearchEvent) => void;
  /** The turn of a search from a former process has come. */
  readonly onLogWanted: ((search: string) => void) | undefined;
}

export class Allotment {
  readonly #options: AllotmentOptions;

  constructor(options: AllotmentOptions) {
    this.#options = options;
  }

  /** What is taken is taken first, so that what is given is there. */
  apply({ preempt, widths, admit, urgencies, reasons }: Decision, nowMs: number): void {
    const { queue, roster } = this.#options;
    const { running } = roster;
    for (const [id, count] of preempt) {
      if (!queue.parkGuest(id)) this.#preempt(running.get(id), count, reasons.get(id));
    }
    for (const search of running.values()) {
      this.#setWidth(search, widths.get(search.id), reasons.get(search.id), nowMs);
    }
    for (const id of admit) {
      if (queue.serveGuest(id)) continue;
      this.#admit(queue.searches.get(id), widths.get(id), reasons.get(id), nowMs);
    }
    for (const [id, urgency] of urgencies ?? []) this.#setUrgency(running.get(id), urgency);
  }

  #preempt(search: Search | undefined, count: number, why: Reason | undefined): void {
    assert(search !== undefined, 'the scheduler preempts a search that does not run');
    const { log, strands, roster } = this.#options;
    const given = search.request.program.yield(search.tree, count);
    // Others open what it gives up: one that cannot say which ends with all it has.
    if (search.isBroken) return strands.closeAll(search);
    for (const strand of given) {
      log(search, { type: 'preempted', strand, ...(why && { why }) });
      strands.close(search, strand, 'preempted');
      roster.touch(search);
    }
  }

  #setWidth(search: Search, width: Width | undefined, why: Reason | undefined, nowMs: number): void {
    assert(width !== undefined, `the scheduler forgets ${search.id}`);
    assert(width.primary >= (search.isIdle ? 0 : 1), `the scheduler gives ${search.id} no strand`);
    const { primary, speculative } = width;
    if (primary === search.width.primary && speculative === search.width.speculative) return;
    const { log, speculation, roster } = this.#options;
    if (primary > search.width.primary || speculative > search.width.speculative) roster.touch(search);
    search.width = width;
    if (search.log !== 'read') return;
    speculation.shrink(search, speculative, nowMs);
    log(search, { type: 'width', primary, speculative, ...(why && { why }) });
  }

  /** What waits is told of a change that matters; what is asked for from now on has it anyway. */
  #setUrgency(search: Search | undefined, urgency: number): void {
    if (search === undefined) return;
    const told = search.urgency;
    if (told !== undefined && Math.abs(urgency - told) < tellingUrgency) return;
    search.urgency = urgency;
    if (told !== undefined) this.#options.flights.reorder(search);
  }

  #admit(search: Search | undefined, width: Width | undefined, why: Reason | undefined, nowMs: number): void {
    assert(search !== undefined && width !== undefined, 'the scheduler admits a search that does not wait');
    const { queue, roster } = this.#options;
    queue.serve(search);
    roster.running.set(search.id, search);
    if (search.log === 'read') return this.begin(search, width, why, nowMs);
    search.width = width;
    this.wantLog(search);
  }

  /** Without its log a search from a former process neither runs nor has an answer. */
  wantLog(search: Search): void {
    if (search.log === 'asked') return;
    search.log = 'asked';
    this.#options.onLogWanted?.(search.id);
  }

  /** An admitted search runs from now on: one from a former process when its log has come. */
  begin(search: Search, width: Width, why: Reason | undefined, nowMs: number): void {
    const { alarms, log, strands, speculation } = this.#options;
    search.admittedMs = nowMs;
    search.width = { primary: 0, speculative: 0 };
    const { timeMs } = search.request.limits;
    if (timeMs !== undefined) alarms.set(nowMs + timeMs, search);
    log(search, { type: 'admitted' });
    this.#setWidth(search, width, why, nowMs);
    if (!search.resumed) return;
    for (const expansion of strands.takeUp(search)) speculation.launch(search, expansion, nowMs);
  }
}
