// The only loop of coppice. Engines, verifiers and callers post to the inbox; one call of `step` drains it, tells the
// programs, prunes and checks exits after each fold, decides on the budget, asks the programs and dispatches, always in
// that order. It is synchronous and has no clock of its own: live, sockets and worker threads wake it; simulated, an event
// heap does. What the simulator proves is what production runs. A fault in one search never touches another: all that may be a
// stranger's is called through guard/, and a search one of whose parts throws ends as `failed`.

import { never } from '../base/assert.ts';
import { type EngineMessage, isCustody } from '../engine/engine.ts';
import { type Pruning, pruningsOf, spentAt } from '../exit/prune/prune.ts';
import type { SearchFold } from '../log/fold.ts';
import type { Outcome, ProbeOutcome } from '../program/program.ts';
import type { Servers } from '../scheduler/cycle.ts';
import type { Guessing } from '../scheduler/speculation-budget.ts';
import { mayGrow } from '../tree/node.ts';
import type { VerifierMessage } from '../verifier/verifier.ts';
import { Alarms } from './alarms.ts';
import { Allotment } from './allotment.ts';
import { Departure } from './departure.ts';
import { type CancelReason, cancelled, clockExit, firstExit, givenUp, nothingLeft } from './exits.ts';
import { Flights } from './flights.ts';
import { Grouping } from './groups/grouping.ts';
import { Inbox, type InboxMessage } from './inbox.ts';
import { guardedOptions, type RuntimeOptions } from './options.ts';
import type { RuntimeParts } from './parts.ts';
import { Planter } from './planter.ts';
import { GuessMeter } from './queue/guess-meter.ts';
import { Leases } from './queue/leases.ts';
import { Queue } from './queue/queue.ts';
import { ServiceMeter } from './queue/service-meter.ts';
import { Reception } from './reception.ts';
import { Roster } from './roster.ts';
import type { SearchRequest } from './search/request.ts';
import type { Flight, Search } from './search/search.ts';
import { SearchLogs } from './search-logs.ts';
import { mayGuess, Speculation } from './speculation.ts';
import { Strands } from './strands.ts';

export class Runtime {
  readonly #options: RuntimeOptions;
  readonly #inbox: Inbox;
  readonly #leases: Leases;
  /** Searches that wait, and their turns. */
  readonly queue: Queue<Search>;
  readonly #roster: Roster;
  readonly #alarms: Alarms;
  readonly #logs: SearchLogs;
  readonly #grouping: Grouping<Search>;
  readonly #meter = new ServiceMeter();
  readonly #guesses = new GuessMeter();
  readonly #flights: Flights;
  readonly #strands: Strands;
  readonly #speculation: Speculation;
  readonly #reception: Reception;
  readonly #allotment: Allotment;
  readonly #departure: Departure;
  /** Outcomes told since the last decision. */
  #told = 0;
  /** Of the step that is under way. */
  #stepMs: number | undefined;

  constructor(given: RuntimeOptions) {
    const options = guardedOptions(given);
    const inbox = new Inbox(options.wake);
    const leases = new Leases(options.budget);
    const roster = new Roster(options);
    const queue = new Queue<Search>(leases, options.scheduler, () => roster.reconsider(), options.work);
    const alarms = new Alarms(roster);
    const logs = new SearchLogs(options);
    const grouping = new Grouping<Search>(options.embedder);
    const flights = new Flights(options, this.#meter, roster);
    const strands = new Strands({ leases, flights, roster, logs });
    const planter = new Planter(strands, logs);
    const speculation = new Speculation(leases, flights, roster);
    const shared = { options, inbox, roster, queue, alarms, logs, grouping, flights, strands, speculation };
    const parts: RuntimeParts = { ...shared, planter, guesses: this.#guesses };
    this.#options = options;
    this.#inbox = inbox;
    this.#leases = leases;
    this.queue = queue;
    this.#roster = roster;
    this.#alarms = alarms;
    this.#logs = logs;
    this.#grouping = grouping;
    this.#flights = flights;
    this.#strands = strands;
    this.#speculation = speculation;
    this.#reception = new Reception(parts);
    this.#allotment = new Allotment(parts);
    this.#departure = new Departure(parts);
    options.engine.connect((message) => this.#hear(message, { from: 'engine', message }));
    options.verifier?.connect((message) => this.#hear(message, { from: 'verifier', message }));
    options.embedder?.connect((message) => inbox.post({ from: 'embedder', message }));
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
    this.#inbox.post({ from: 'caller', cancel: id, reason });
  }

  /** Takes a search away without a word in its log: one that never ran here. */
  withdraw(id: string): void {
    const search = this.#roster.live.get(id);
    if (search !== undefined) this.#departure.remove(search);
    this.#roster.reconsider();
  }

  /** One wake-up. Goes round again only when a ghost became a child or a search ended while being asked. */
  step(): void {
    this.#stepMs = this.#options.clock.nowMs();
    try {
      this.#round(this.#stepMs);
    } finally {
      this.#stepMs = undefined;
    }
  }

  #round(nowMs: number): void {
    do {
      this.#drain(nowMs);
      this.#tell(nowMs);
      this.#watchClock(nowMs);
      this.#departure.endBroken(nowMs);
      this.#decide(nowMs);
      this.#ask(nowMs);
      this.#departure.endBroken(nowMs);
      this.#flights.dispatch(nowMs);
      this.#grouping.dispatch();
      this.#departure.settle();
    } while (this.#flights.hasArrivals || this.#roster.isStale);
    this.#logs.endEntries();
  }

  /** When `step` is to be called even if nothing arrives: the next time limit, deadline, overdue request or gathered scores. */
  nextWakeMs(): number | undefined {
    const times = [this.#alarms.nextMs(), this.#flights.nextExpiryMs(), this.#flights.scoresDueMs];
    const due = times.filter((each) => each !== undefined);
    return due.length === 0 ? undefined : Math.min(...due);
  }

  /** Something was posted since the last step, for instance by an engine that answers at once. */
  get hasMail(): boolean {
    return !this.#inbox.isEmpty;
  }

  get leasesTaken(): number {
    return this.#leases.taken;
  }

  get inFlight(): number {
    return this.#flights.size;
  }

  /** Load and measured cost of engine and verifier, as the scheduler sees them; undefined before enough was measured. */
  get servers(): Servers | undefined {
    return this.#meter.servers(this.#leases.taken);
  }

  /** How often speculation has been right, and whether the engine has memory for it. */
  get guessing(): Guessing {
    const { engine } = this.#options;
    const { ridgeSequences } = engine.capabilities;
    return { chances: this.#guesses.chances, squeezed: engine.load().squeezed === true, ridgeSequences };
  }

  /** For how long the search has waited that came first. */
  get queueAgeMs(): number {
    return this.queue.ageMs(this.#options.clock.nowMs());
  }

  /** The searches that wait, in order of submission, and those that run, in order of admission: to be read only. */
  get waiting(): ReadonlyMap<string, Search> {
    return this.queue.searches;
  }

  get running(): ReadonlyMap<string, Search> {
    return this.#roster.running;
  }

  // ---- drain ------------------------------------------------------------------------------------------------------

  /**
   * Who has a request is noted at once: it winds a clock and nothing is decided by it. Servers say so while they are being asked, and
   * steps that read nothing else would be two of five.
   */
  #hear(said: EngineMessage | VerifierMessage, message: InboxMessage): void {
    if (!isCustody(said)) return this.#inbox.post(message);
    const { clock, wake } = this.#options;
    this.#flights.wind(said, this.#stepMs ?? clock.nowMs());
    // Behind a step its owner asks for the next alarm anyway.
    if (this.#stepMs === undefined) wake?.();
  }

  #drain(nowMs: number): void {
    for (const message of this.#inbox.takeAll()) this.#take(message, nowMs);
    this.#flights.expire(nowMs);
    for (const search of this.#alarms.takeDue(nowMs)) this.#roster.touch(search);
  }

  #take(message: InboxMessage, nowMs: number): void {
    switch (message.from) {
      case 'engine':
        if (message.message.type === 'token') return this.#flights.takeToken(message.message);
        return this.#flights.takeFromEngine(message.message, nowMs);
      case 'verifier':
        return this.#flights.takeFromVerifier(message.message, nowMs);
      case 'embedder':
        return this.#grouping.take(message.message);
      case 'caller':
        if ('submit' in message) return this.#enqueue(message.submit);
        if ('restored' in message) return this.#takeUpRestored(message.restored, nowMs);
        return this.#cancel(this.#roster.live.get(message.cancel), message.reason, nowMs);
      default:
        return never(message, 'inbox message');
    }
  }

  #enqueue(search: Search): void {
    if (!this.#roster.isLive(search)) return;
    this.queue.add(search);
    const { deadlineMs } = search.request.limits;
    if (deadlineMs !== undefined) this.#alarms.set(search.arrivalMs + deadlineMs, search);
    this.#roster.touch(search);
    this.#roster.isStale = true;
  }

  /** Its log has come: it runs, or it has waited for it to give its best answer so far. */
  #takeUpRestored(search: Search, nowMs: number): void {
    if (!this.#roster.isLive(search)) return;
    this.#roster.touch(search);
    if (this.#roster.isRunning(search)) this.#allotment.begin(search, search.width, new Map(), nowMs);
  }

  #cancel(search: Search | undefined, reason: CancelReason, nowMs: number): void {
    if (search !== undefined) this.#departure.finish(search, cancelled(reason), nowMs);
  }

  // ---- tell -------------------------------------------------------------------------------------------------------

  #tell(nowMs: number): void {
    for (const { search, outcome, flight } of this.#flights.takeArrivals()) {
      if (flight !== undefined) this.#land(flight);
      if (outcome.probe && flight?.lane === 'speculative') this.#overhear(flight, outcome);
      else if (this.#roster.isRunning(search)) this.#tellAll(search, search.order.take(search.tree, outcome), nowMs);
    }
    for (const search of this.#grouping.takeRead()) {
      if (this.#roster.isRunning(search)) this.#tellAll(search, search.order.release(search.tree), nowMs);
    }
  }

  #tellAll(search: Search, outcomes: Iterable<Outcome>, nowMs: number): void {
    for (const next of outcomes) {
      if (!this.#roster.isRunning(search) || !this.#tellOne(search, next)) continue;
      this.#judge(search, nowMs);
      if (this.#roster.isRunning(search)) this.#speculation.giveUp(search);
    }
  }

  /** A probe that its program has not asked for yet. */
  #overhear(flight: Flight, outcome: ProbeOutcome): void {
    if (!this.#roster.isRunning(flight.search)) return;
    this.#speculation.keepReply(flight, outcome);
    this.#roster.touch(flight.search);
    this.#noteTold();
  }

  #land(flight: Flight): void {
    const { search, draw } = flight;
    if (search.flights.get(draw) === flight) search.flights.delete(draw);
    this.#speculation.landed(flight);
  }

  /** True where this was the last piece of an expansion, or of a level: the moment at which rules are read. */
  #tellOne(search: Search, outcome: Outcome): boolean {
    this.#roster.touch(search);
    this.#noteTold();
    const { tree, open, request } = search;
    const isComplete = request.program.tell(tree, open?.grouped(tree, outcome) ?? outcome);
    // What a search could use changes with whole expansions; a decision on every child would say the same again.
    if (isComplete && request.rules.boost) this.#roster.isStale = true;
    // An order by work follows what is left of it.
    if (this.#options.scheduler.order?.readsWork && search.hasGrown()) this.#roster.isStale = true;
    return isComplete;
  }

  /** Guesses are dealt anew when about every search has been told something: at each outcome it would cost too much. */
  #noteTold(): void {
    this.#told += 1;
    const { running } = this.#roster;
    if (this.#told < running.size) return;
    this.#told = 0;
    if (this.#speculates(running.values())) this.#roster.isStale = true;
  }

  #speculates(searches: Iterable<Search>): boolean {
    return this.#options.scheduler.speculates === true || (this.#roster.guessers > 0 && mayGuess(searches));
  }

  // ---- prune, exits -----------------------------------------------------------------------------------------------

  #judge(search: Search, nowMs: number): void {
    for (const rule of search.request.rules.prunes) {
      for (const pruning of pruningsOf(rule, search.view(nowMs))) this.#prune(search, pruning);
    }
    const exit = firstExit(search, nowMs, this.#options);
    if (exit !== undefined) this.#departure.finish(search, exit, nowMs);
  }

  #prune(search: Search, { strand, rule, evidence, value }: Pruning): void {
    this.#logs.add(search, { type: 'pruned', strand, rule, evidence });
    this.#strands.close(search, strand, 'pruned', value);
  }

  /** Time and failures end a search wherever it stands: what has come early is told first, so that the answer has it. */
  #watchClock(nowMs: number): void {
    for (const search of this.#roster.touched) {
      if (!this.#roster.isLive(search)) continue;
      if (!search.hasLog) {
        if (search.isOverdue(nowMs)) this.#logs.want(search);
        continue;
      }
      const exit = clockExit(search, nowMs, this.#options);
      if (exit === undefined) continue;
      for (const { id, node } of [...search.tree.strands.values()]) {
        for (const outcome of search.order.takeAll(id, node)) this.#tellOne(search, outcome);
      }
      this.#departure.finish(search, exit, nowMs);
    }
  }

  // ---- decide -----------------------------------------------------------------------------------------------------

  #decide(nowMs: number): void {
    if (!this.#roster.isStale && !this.#isSqueezed()) return;
    this.#roster.isStale = false;
    this.#told = 0;
    const { scheduler } = this.#options;
    const { servers } = this;
    const guessing = this.#speculates(this.#roster.live.values()) ? this.guessing : undefined;
    const snapshot = this.queue.snapshot(nowMs, this.#roster.running.values(), guessing !== undefined);
    const decision = scheduler.decide({ ...snapshot, servers, guessing });
    this.#allotment.apply(decision, nowMs);
    for (const [id, late] of decision.giveUp) {
      const search = this.waiting.get(id);
      if (search !== undefined) this.#departure.finish(search, givenUp(search, nowMs, late, this.#options), nowMs);
    }
  }

  /** The engine lacks memory while something is speculated on: that is taken back at once. */
  #isSqueezed(): boolean {
    return this.#speculation.open > 0 && this.guessing.squeezed;
  }

  // ---- ask --------------------------------------------------------------------------------------------------------

  #ask(nowMs: number): void {
    for (const search of this.#roster.takeTouched()) {
      if (this.#roster.isRunning(search)) this.#askOne(search, nowMs);
    }
  }

  #askOne(search: Search, nowMs: number): void {
    const { tree, request } = search;
    const doomed = search.doomed(nowMs);
    while (!search.isBroken) {
      const openBefore = tree.strands.size;
      const mayOpen = openBefore < search.width.primary;
      const ask = request.program.ask(tree, mayOpen, doomed);
      if (ask !== undefined) {
        const spent = spentAt(request.rules.prunes, search.view(nowMs), ask.node);
        if (spent === undefined) this.#speculation.launch(search, ask, nowMs);
        else if (!this.#spend(search, { strand: ask.strand, ...spent }, nowMs)) break;
        continue;
      }
      // A program may close a strand that it finds complete (after a crash): then there is room again.
      if (tree.strands.size < openBefore) continue;
      if (mayOpen && tree.strands.size === 0 && tree.stragglers.size === 0) {
        return this.#departure.finish(search, firstExit(search, nowMs, this.#options) ?? nothingLeft(search), nowMs);
      }
      break;
    }
    if (!search.isBroken && this.#roster.isRunning(search)) this.#speculation.fill(search, nowMs);
  }
  /** A rollout that ends where it begins. Gives whether to ask on: while others are under way, what they bring is awaited first. */
  #spend(search: Search, pruning: Pruning, nowMs: number): boolean {
    this.#prune(search, pruning);
    const { tree } = search;
    const doomed = search.doomed(nowMs, true);
    const isOver = tree.strands.size === 0 && tree.nodes.every((node) => !mayGrow(node) || doomed?.(node));
    const exit = firstExit(search, nowMs, this.#options) ?? (isOver ? nothingLeft(search) : undefined);
    if (exit !== undefined) this.#departure.finish(search, exit, nowMs);
    return exit === undefined && tree.strands.size === 0;
  }
}
