// The only loop of coppice. Engines, verifiers and callers post to the inbox; one call of `step` drains it, tells the
// programs, prunes and checks exits after each fold, decides on the budget, asks the programs and dispatches, always in
// that order. The inbox is read here; each verb behind it is a file beside this one. It is synchronous and has no clock: live,
// sockets and worker threads wake it; simulated, an event heap does. What the simulator proves is what production runs. A
// fault in one search never touches another: all that may be a stranger's is called through guard/, and a search one of whose
// parts throws ends as `failed`.

import { never } from '../base/assert.ts';
import { type EngineMessage, isCustody } from '../engine/engine.ts';
import type { SearchFold } from '../log/fold.ts';
import type { Servers } from '../scheduler/cycle.ts';
import type { Guessing } from '../scheduler/speculation-budget.ts';
import type { VerifierMessage } from '../verifier/verifier.ts';
import { Allotment } from './allotment.ts';
import { Asking } from './asking.ts';
import { Deciding } from './deciding.ts';
import { Departure } from './departure.ts';
import { type CancelReason, cancelled } from './exits.ts';
import type { InboxMessage } from './inbox.ts';
import type { RuntimeOptions } from './options.ts';
import { makeParts, type RuntimeParts } from './parts.ts';
import type { Queue } from './queue/queue.ts';
import { Reception } from './reception.ts';
import type { SearchRequest } from './search/request.ts';
import type { Search } from './search/search.ts';
import { Telling } from './telling.ts';

export class Runtime {
  readonly #parts: RuntimeParts;
  readonly #reception: Reception;
  readonly #telling: Telling;
  readonly #deciding: Deciding;
  readonly #allotment: Allotment;
  readonly #asking: Asking;
  readonly #departure: Departure;
  /** Of the step that is under way. */
  #stepMs: number | undefined;

  constructor(options: RuntimeOptions) {
    const parts = makeParts(options);
    this.#parts = parts;
    this.#reception = new Reception(parts);
    this.#departure = new Departure(parts);
    this.#allotment = new Allotment(parts);
    this.#deciding = new Deciding(parts, this.#allotment, this.#departure);
    this.#telling = new Telling(parts, this.#deciding, this.#departure);
    this.#asking = new Asking(parts, this.#departure);
    const { engine, verifier, embedder } = parts.options;
    engine.connect((message) => this.#hear(message, { from: 'engine', message }));
    verifier?.connect((message) => this.#hear(message, { from: 'verifier', message }));
    embedder?.connect((message) => parts.inbox.post({ from: 'embedder', message }));
  }

  /** `fold`: the caller's, kept up to date here from the first event to the last, and only to be read elsewhere. */
  submit(request: SearchRequest, fold?: SearchFold): void {
    this.#reception.submit(request, fold);
  }

  /** A search from a former process. It waits without its log, which `onLogWanted` asks for when its turn has come. */
  revive(request: SearchRequest, fold: SearchFold): void {
    this.#reception.revive(request, fold);
  }

  /** The log of a revived search is in its fold: what was asked and never answered is asked again under the same keys. */
  restore(id: string): void {
    this.#reception.restore(id);
  }

  cancel(id: string, reason: CancelReason = 'caller'): void {
    this.#parts.inbox.post({ from: 'caller', cancel: id, reason });
  }

  /** Takes a search away without a word in its log: one that never ran here. */
  withdraw(id: string): void {
    const { roster } = this.#parts;
    const search = roster.live.get(id);
    if (search !== undefined) this.#departure.remove(search);
    roster.reconsider();
  }

  /** One wake-up. Goes round again only when a ghost became a child or a search ended while being asked. */
  step(): void {
    this.#stepMs = this.#parts.options.clock.nowMs();
    try {
      this.#round(this.#stepMs);
    } finally {
      this.#stepMs = undefined;
    }
  }

  #round(nowMs: number): void {
    const { flights, grouping, roster, logs } = this.#parts;
    do {
      this.#drain(nowMs);
      this.#telling.tell(nowMs);
      this.#telling.watchClock(nowMs);
      this.#departure.endBroken(nowMs);
      this.#deciding.decide(nowMs);
      this.#asking.ask(nowMs);
      this.#departure.endBroken(nowMs);
      flights.dispatch(nowMs);
      grouping.dispatch();
      this.#departure.settle();
    } while (flights.hasArrivals || roster.isStale);
    logs.endEntries();
  }

  #drain(nowMs: number): void {
    const { inbox, flights, alarms, roster } = this.#parts;
    for (const message of inbox.takeAll()) this.#take(message, nowMs);
    flights.expire(nowMs);
    for (const search of alarms.takeDue(nowMs)) roster.touch(search);
  }

  #take(message: InboxMessage, nowMs: number): void {
    const { flights, grouping, roster } = this.#parts;
    switch (message.from) {
      case 'engine':
        if (message.message.type === 'token') return flights.takeToken(message.message);
        return flights.takeFromEngine(message.message, nowMs);
      case 'verifier':
        return flights.takeFromVerifier(message.message, nowMs);
      case 'embedder':
        return grouping.take(message.message);
      case 'caller':
        if ('submit' in message) return this.#enqueue(message.submit);
        if ('restored' in message) return this.#takeUpRestored(message.restored, nowMs);
        return this.#cancel(roster.live.get(message.cancel), message.reason, nowMs);
      default:
        return never(message, 'inbox message');
    }
  }

  #enqueue(search: Search): void {
    const { roster, queue, alarms } = this.#parts;
    if (!roster.isLive(search)) return;
    queue.add(search);
    const { deadlineMs } = search.request.limits;
    if (deadlineMs !== undefined) alarms.set(search.arrivalMs + deadlineMs, search);
    roster.touch(search);
    roster.isStale = true;
  }

  /** Its log has come: it runs, or it has waited for it to give its best answer so far. */
  #takeUpRestored(search: Search, nowMs: number): void {
    const { roster } = this.#parts;
    if (!roster.isLive(search)) return;
    roster.touch(search);
    if (roster.isRunning(search)) this.#allotment.begin(search, search.width, new Map(), nowMs);
  }

  #cancel(search: Search | undefined, reason: CancelReason, nowMs: number): void {
    if (search !== undefined) this.#departure.finish(search, cancelled(reason), nowMs);
  }

  /**
   * Who has a request is noted at once: it winds a clock and nothing is decided by it. Servers say so while they are being asked, and
   * steps that read nothing else would be two of five.
   */
  #hear(said: EngineMessage | VerifierMessage, message: InboxMessage): void {
    const { options, inbox, flights } = this.#parts;
    if (!isCustody(said)) return inbox.post(message);
    flights.wind(said, this.#stepMs ?? options.clock.nowMs());
    // Behind a step its owner asks for the next alarm anyway.
    if (this.#stepMs === undefined) options.wake?.();
  }

  /** When `step` is to be called even if nothing arrives: the next time limit, deadline, overdue request or waiting scores. */
  nextWakeMs(): number | undefined {
    const { alarms, flights } = this.#parts;
    const times = [alarms.nextMs(), flights.nextExpiryMs(), flights.scoresDueMs];
    const due = times.filter((each) => each !== undefined);
    return due.length === 0 ? undefined : Math.min(...due);
  }

  /** Something was posted since the last step, for instance by an engine that answers at once. */
  get hasMail(): boolean {
    return !this.#parts.inbox.isEmpty;
  }

  get leasesTaken(): number {
    return this.#parts.leases.taken;
  }

  get inFlight(): number {
    return this.#parts.flights.size;
  }

  /** Load and measured cost of engine and verifier, as the scheduler sees them; undefined before enough was measured. */
  get servers(): Servers | undefined {
    return this.#deciding.servers;
  }

  /** How often speculation has been right, and whether the engine has memory for it. */
  get guessing(): Guessing {
    return this.#deciding.guessing;
  }

  /** Searches that wait, and their turns. */
  get queue(): Queue<Search> {
    return this.#parts.queue;
  }

  /** For how long the search has waited that came first. */
  get queueAgeMs(): number {
    return this.queue.ageMs(this.#parts.options.clock.nowMs());
  }

  /** The searches that wait, in order of submission, and those that run, in order of admission: to be read only. */
  get waiting(): ReadonlyMap<string, Search> {
    return this.queue.searches;
  }

  get running(): ReadonlyMap<string, Search> {
    return this.#parts.roster.running;
  }
}
