// The only loop of coppice. Engines, verifiers and callers post to the inbox; one call of `step` drains it, tells the
// programs, prunes and checks exits after each fold, decides on the budget, asks the programs and dispatches, always in
// that order. It is synchronous and has no clock of its own: live, sockets and worker threads wake it; simulated, an event
// heap does. What the simulator proves is what production runs. A fault in one search never touches another.

import { assert, never } from '../base/assert.ts';
import { FaultError } from '../base/fault.ts';
import { pruningsOf } from '../exit/prune.ts';
import type { Exit } from '../log/end.ts';
import type { SearchEvent } from '../log/events.ts';
import { completeBest } from '../program/growth.ts';
import type { Outcome } from '../program/program.ts';
import type { Guessing } from '../scheduler/ahead.ts';
import type { Servers } from '../scheduler/cycle.ts';
import type { Decision, Reason, Width } from '../scheduler/scheduler.ts';
import { tellingUrgency } from '../scheduler/turns/order.ts';
import type { TreeEvent } from '../tree/events.ts';
import { Alarms } from './alarms.ts';
import { cancelledByCaller, clockExit, firstExit, givenUp, nothingLeft } from './exits.ts';
import { Flights } from './flights.ts';
import { Grouping } from './groups/grouping.ts';
import { Inbox, type InboxMessage } from './inbox.ts';
import type { RuntimeOptions } from './options.ts';
import { GuessMeter } from './queue/guess-meter.ts';
import { Leases } from './queue/leases.ts';
import { Queue } from './queue/queue.ts';
import { ServiceMeter } from './queue/service-meter.ts';
import { Reception } from './reception.ts';
import type { SearchRequest } from './request.ts';
import type { Flight, Search } from './search.ts';
import { Speculation } from './speculation.ts';
import { Strands } from './strands.ts';

export class Runtime {
  readonly #options: RuntimeOptions;
  readonly #inbox: Inbox;
  readonly #reception: Reception;
  readonly #strands: Strands;
  readonly #leases: Leases;
  /** Those who wait, and their turns. */
  readonly queue: Queue<Search>;
  readonly #flights: Flights;
  readonly #grouping: Grouping<Search>;
  readonly #meter = new ServiceMeter();
  readonly #speculation: Speculation;
  readonly #guesses = new GuessMeter();
  readonly #alarms = new Alarms((search) => this.#isLive(search));
  /** Every live search: those that wait and those that run. */
  readonly #live = new Map<string, Search>();
  readonly #running = new Map<string, Search>();
  /** Searches that have ended, and of which engine or verifier still owe an answer. */
  readonly #unsettled = new Set<Search>();
  /** Searches in which something happened since they were last asked. */
  readonly #touched = new Set<Search>();
  /** Something changed on which the last decision rests. */
  #stale = false;
  /** Outcomes told since then. */
  #told = 0;

  constructor(options: RuntimeOptions) {
    const { engine, verifier, requestTimeoutMs, onToken, watches = () => onToken !== undefined, onFault } = options;
    this.#options = options;
    this.#leases = new Leases(options.budget);
    this.#inbox = new Inbox(options.wake);
    this.queue = new Queue<Search>(this.#leases, options.scheduler, () => this.#reconsider(), options.work);
    this.#grouping = new Grouping(options.embedder);
    this.#reception = new Reception(options, this.#live, this.queue, this.#inbox, this.#grouping, {
      log: (search, event) => this.#emit(search, event),
      tree: (search, event) => this.#onTreeEvent(search, event),
    });
    const meter = this.#meter;
    const { order } = options.scheduler;
    const onWritten = (search: Search) => {
      if (!search.request.rules.extendsUnscored) return;
      search.foreseesMore();
      this.#touched.add(search);
      this.#stale = true;
    };
    const told = { requestTimeoutMs, watches, onToken, onFault, onWritten };
    this.#flights = new Flights({ engine, verifier, meter, order, ...told });
    this.#strands = new Strands(this.#leases, this.#flights);
    this.#speculation = new Speculation(this.#leases, this.#flights, (search) => this.#touched.add(search));
    engine.connect((message) => this.#inbox.post({ from: 'engine', message }));
    verifier?.connect((message) => this.#inbox.post({ from: 'verifier', message }));
    options.embedder?.connect((message) => this.#inbox.post({ from: 'embedder', message }));
  }

  submit(request: SearchRequest): void {
    this.#reception.submit(request);
  }

  /** A search from a former process. It waits without its log, which `onLogWanted` asks for when its turn has come. */
  revive(request: SearchRequest): void {
    this.#reception.revive(request);
  }

  /** The log of a revived search: what was asked and never answered is asked again under the same keys. */
  restore(id: string, events: Iterable<TreeEvent>, nextSequence: number): void {
    this.#reception.restore(id, events, nextSequence);
  }

  cancel(id: string): void {
    this.#inbox.post({ from: 'caller', cancel: id });
  }

  /** Takes a search away without a word in its log: one that never ran here. */
  withdraw(id: string): void {
    const search = this.#live.get(id);
    if (search !== undefined) this.#remove(search, undefined);
    this.#reconsider();
  }

  /** One wake-up. Goes round again only when a ghost became a child or a search ended while being asked. */
  step(): void {
    const nowMs = this.#options.clock.nowMs();
    do {
      this.#drain(nowMs);
      this.#tell(nowMs);
      this.#watchClock(nowMs);
      this.#decide(nowMs);
      this.#ask(nowMs);
      this.#flights.dispatch(nowMs);
      this.#grouping.dispatch();
      this.#settleAccounts();
    } while (this.#flights.hasArrivals || this.#stale);
  }

  /** When `step` is to be called even if nothing arrives: the next time limit, deadline or overdue request. */
  nextWakeMs(): number | undefined {
    const alarmMs = this.#alarms.nextMs();
    const expiryMs = this.#flights.nextExpiryMs();
    if (alarmMs === undefined || expiryMs === undefined) return alarmMs ?? expiryMs;
    return Math.min(alarmMs, expiryMs);
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

  /** The searches that wait, in order of submission, and those that run, in order of admission: to be read only. */
  get waiting(): ReadonlyMap<string, Search> {
    return this.queue.searches;
  }

  get running(): ReadonlyMap<string, Search> {
    return this.#running;
  }

  // ---- drain ------------------------------------------------------------------------------------------------------

  #drain(nowMs: number): void {
    for (const message of this.#inbox.takeAll()) this.#take(message, nowMs);
    this.#flights.expire(nowMs);
    for (const search of this.#alarms.takeDue(nowMs)) this.#touched.add(search);
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
        return this.#finish(this.#live.get(message.cancel), cancelledByCaller, nowMs);
      default:
        return never(message, 'inbox message');
    }
  }

  #enqueue(search: Search): void {
    if (!this.#isLive(search)) return;
    this.queue.add(search);
    const { deadlineMs } = search.request.limits;
    if (deadlineMs !== undefined) this.#alarms.set(search.arrivalMs + deadlineMs, search);
    this.#touched.add(search);
    this.#stale = true;
  }

  /** Its log has come: it runs, or it has waited for it to give its best answer so far. */
  #takeUpRestored(search: Search, nowMs: number): void {
    if (!this.#isLive(search)) return;
    this.#touched.add(search);
    if (this.#isRunning(search)) this.#begin(search, search.width, undefined, nowMs);
  }

  // ---- tell -------------------------------------------------------------------------------------------------------

  #tell(nowMs: number): void {
    for (const { search, outcome, flight } of this.#flights.takeArrivals()) {
      if (flight !== undefined) this.#land(flight);
      if (this.#isRunning(search)) this.#tellAll(search, search.order.take(search.tree, outcome), nowMs);
    }
    for (const search of this.#grouping.takeRead()) {
      if (this.#isRunning(search)) this.#tellAll(search, search.order.release(search.tree), nowMs);
    }
  }

  #tellAll(search: Search, outcomes: Iterable<Outcome>, nowMs: number): void {
    for (const next of outcomes) {
      if (!this.#isRunning(search) || !this.#tellOne(search, next)) continue;
      this.#judge(search, nowMs);
      if (this.#isRunning(search)) this.#speculation.giveUp(search);
    }
  }

  #land(flight: Flight): void {
    const { search, draw } = flight;
    if (search.flights.get(draw) === flight) search.flights.delete(draw);
    this.#speculation.landed(flight);
  }

  /** True where this was the last piece of an expansion, or of a level: the moment at which rules are read. */
  #tellOne(search: Search, outcome: Outcome): boolean {
    this.#touched.add(search);
    this.#told += 1;
    if (this.#isDueForGuesses()) this.#stale = true;
    try {
      const { tree, open, request } = search;
      const isComplete = request.program.tell(tree, open?.grouped(tree, outcome) ?? outcome);
      // What a search could use changes with whole expansions; a decision on every child would say the same again.
      if (isComplete && request.rules.boost) this.#stale = true;
      // An order by work follows what is left of it.
      if (this.#options.scheduler.order === 'sjf' && search.hasGrown()) this.#stale = true;
      return isComplete;
    } catch (error) {
      if (!(error instanceof FaultError)) throw error;
      this.#options.onFault?.(search.id, error.fault);
      return false;
    }
  }

  /** Guesses are dealt anew when about every search has been told something: at each outcome it would cost too much. */
  #isDueForGuesses(): boolean {
    return this.#options.scheduler.speculates === true && this.#told >= this.#running.size;
  }

  // ---- prune, exits -----------------------------------------------------------------------------------------------

  #judge(search: Search, nowMs: number): void {
    for (const rule of search.request.rules.prunes) {
      for (const { strand, evidence } of pruningsOf(rule, search.view(nowMs))) {
        this.#emit(search, { type: 'pruned', strand, rule: rule.name, evidence });
        this.#strands.close(search, strand, 'pruned');
      }
    }
    const exit = firstExit(search, nowMs, this.#options);
    if (exit !== undefined) this.#finish(search, exit, nowMs);
  }

  /** Time and failures end a search wherever it stands: what has come early is told first, so that the answer has it. */
  #watchClock(nowMs: number): void {
    for (const search of this.#touched) {
      if (!this.#isLive(search)) continue;
      if (search.log !== 'read') {
        if (search.isOverdue(nowMs)) this.#wantLog(search);
        continue;
      }
      const exit = clockExit(search, nowMs, this.#options);
      if (exit === undefined) continue;
      for (const { id, node } of [...search.tree.strands.values()]) {
        for (const outcome of search.order.takeAll(id, node)) this.#tellOne(search, outcome);
      }
      this.#finish(search, exit, nowMs);
    }
  }

  // ---- decide -----------------------------------------------------------------------------------------------------

  #decide(nowMs: number): void {
    if (!this.#stale && !this.#isSqueezed()) return;
    this.#stale = false;
    this.#told = 0;
    const { scheduler } = this.#options;
    const { servers } = this;
    const guessing = scheduler.speculates ? { guessing: this.guessing } : {};
    const snapshot = this.queue.snapshot(nowMs, this.#running.values());
    this.#apply(scheduler.decide({ ...snapshot, ...(servers && { servers }), ...guessing }), nowMs);
  }

  /** The engine lacks memory while something is speculated on: that is taken back at once. */
  #isSqueezed(): boolean {
    return this.#speculation.open > 0 && this.guessing.squeezed;
  }

  #apply(decision: Decision, nowMs: number): void {
    const { reasons } = decision;
    for (const [id, count] of decision.preempt) {
      if (!this.queue.parkGuest(id)) this.#preempt(this.#running.get(id), count, reasons.get(id));
    }
    for (const search of this.#running.values()) {
      this.#setWidth(search, decision.widths.get(search.id), reasons.get(search.id));
    }
    for (const id of decision.admit) {
      if (this.queue.serveGuest(id)) continue;
      this.#admit(this.waiting.get(id), decision.widths.get(id), reasons.get(id), nowMs);
    }
    for (const [id, urgency] of decision.urgencies ?? []) this.#setUrgency(this.#running.get(id), urgency);
    for (const [id, late] of decision.giveUp) {
      const search = this.waiting.get(id);
      if (search !== undefined) this.#finish(search, givenUp(search, nowMs, late, this.#options), nowMs);
    }
  }

  #preempt(search: Search | undefined, count: number, why: Reason | undefined): void {
    assert(search !== undefined, 'the scheduler preempts a search that does not run');
    for (const strand of search.request.program.yield(search.tree, count)) {
      this.#emit(search, { type: 'preempted', strand, ...(why && { why }) });
      this.#strands.close(search, strand, 'preempted');
      this.#touched.add(search);
    }
  }

  #setWidth(search: Search, width: Width | undefined, why: Reason | undefined): void {
    assert(width !== undefined, `the scheduler forgets ${search.id}`);
    assert(width.primary >= (search.isIdle ? 0 : 1), `the scheduler gives ${search.id} no strand`);
    const { primary, speculative } = width;
    if (primary === search.width.primary && speculative === search.width.speculative) return;
    if (primary > search.width.primary || speculative > search.width.speculative) this.#touched.add(search);
    search.width = width;
    if (search.log !== 'read') return;
    this.#speculation.shrink(search, speculative);
    this.#emit(search, { type: 'width', primary, speculative, ...(why && { why }) });
  }

  /** What waits is told of a change that matters; what is asked for from now on has it anyway. */
  #setUrgency(search: Search | undefined, urgency: number): void {
    if (search === undefined) return;
    const told = search.urgency;
    if (told !== undefined && Math.abs(urgency - told) < tellingUrgency) return;
    search.urgency = urgency;
    if (told !== undefined) this.#flights.reorder(search);
  }

  #admit(search: Search | undefined, width: Width | undefined, why: Reason | undefined, nowMs: number): void {
    assert(search !== undefined && width !== undefined, 'the scheduler admits a search that does not wait');
    this.queue.serve(search);
    this.#running.set(search.id, search);
    if (search.log === 'read') return this.#begin(search, width, why, nowMs);
    search.width = width;
    this.#wantLog(search);
  }

  #wantLog(search: Search): void {
    if (search.log === 'asked') return;
    search.log = 'asked';
    this.#options.onLogWanted?.(search.id);
  }

  #begin(search: Search, width: Width, why: Reason | undefined, nowMs: number): void {
    search.admittedMs = nowMs;
    search.width = { primary: 0, speculative: 0 };
    const { timeMs } = search.request.limits;
    if (timeMs !== undefined) this.#alarms.set(nowMs + timeMs, search);
    this.#emit(search, { type: 'admitted' });
    this.#setWidth(search, width, why);
    if (!search.resumed) return;
    for (const expansion of this.#strands.takeUp(search)) this.#speculation.launch(search, expansion, nowMs);
  }

  // ---- ask --------------------------------------------------------------------------------------------------------

  #ask(nowMs: number): void {
    const touched = [...this.#touched];
    this.#touched.clear();
    for (const search of touched) {
      if (this.#isRunning(search)) this.#askOne(search, nowMs);
    }
  }

  #askOne(search: Search, nowMs: number): void {
    const { tree, request } = search;
    const doomed = search.doomed(nowMs);
    for (;;) {
      const openBefore = tree.strands.size;
      const mayOpen = openBefore < search.width.primary;
      const ask = request.program.ask(tree, mayOpen, doomed);
      if (ask !== undefined) {
        assert(ask.indices.length > 0, `program '${request.program.name}' asks for no child`);
        this.#speculation.launch(search, ask, nowMs);
        continue;
      }
      // A program may close a strand that it finds complete (after a crash): then there is room again.
      if (tree.strands.size < openBefore) continue;
      if (mayOpen && tree.strands.size === 0 && tree.stragglers.size === 0) {
        return this.#finish(search, firstExit(search, nowMs, this.#options) ?? nothingLeft(tree), nowMs);
      }
      break;
    }
    this.#speculation.fill(search, nowMs);
  }

  // ---- ends -------------------------------------------------------------------------------------------------------

  #finish(search: Search | undefined, exit: Exit, nowMs: number): void {
    if (search === undefined) return;
    if (search.log !== 'read') return this.#remove(search, undefined);
    if (exit.kind === 'accepted') completeBest(search.tree);
    this.#strands.closeAll(search);
    this.#guesses.ended(search.guesses.byRank);
    this.#speculation.shrink(search, 0);
    for (const flight of [...search.flights.values()]) this.#flights.cancel(flight);
    const saysNothing = exit.kind === 'cancelled' || exit.kind === 'failed' || search.admittedMs === undefined;
    this.#remove(search, saysNothing ? undefined : nowMs - search.admittedMs!);
    const result = search.result(exit, nowMs);
    const { answer, cost } = result;
    this.#emit(search, { type: 'exited', exit, cost, ...(answer === undefined ? {} : { answer }) });
    this.#unsettled.add(search);
    this.#options.onEnd?.(result);
  }

  #settleAccounts(): void {
    for (const search of this.#unsettled) {
      if (search.unanswered > 0) continue;
      this.#unsettled.delete(search);
      const cost = search.cost();
      this.#emit(search, { type: 'cost', cost });
      this.#options.onCost?.(search.id, cost);
    }
  }

  #remove(search: Search, servedMs: number | undefined): void {
    this.queue.remove(search, this.#running.has(search.id), servedMs);
    for (const set of [this.#live, this.#running]) set.delete(search.id);
    this.#touched.delete(search);
    this.#stale = true;
    this.#options.engine.release(search.id);
    this.#options.verifier?.release(search.id);
  }

  // ---- events -----------------------------------------------------------------------------------------------------

  #onTreeEvent(search: Search, event: TreeEvent): void {
    this.#strands.follow(search, event);
    if (event.type === 'closed') this.#stale = true;
    this.#emit(search, event);
  }

  #emit(search: Search, event: SearchEvent): void {
    const sequence = search.nextSequence;
    search.nextSequence += 1;
    this.#options.onEvent?.({ search: search.id, sequence, atMs: this.#options.clock.nowMs(), event });
  }

  #isLive(search: Search): boolean {
    return this.#live.get(search.id) === search;
  }

  #isRunning(search: Search): boolean {
    return this.#running.get(search.id) === search && search.log === 'read';
  }

  /** Somebody came or went without a message: the next step decides anew. */
  #reconsider(): void {
    this.#stale = true;
    this.#options.wake?.();
  }
}
