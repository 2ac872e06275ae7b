// The only loop of coppice. Engines, verifiers and callers post to the inbox; one call of `step` drains it, tells the
// programs, prunes, checks exits, decides on the budget, asks the programs and dispatches, always in that order. It is
// synchronous and has no clock of its own: live, sockets and worker threads wake it; simulated, an event heap does. What
// the simulator proves is what production runs. A fault in one search never touches another.

import { assert, never } from '../base/assert.ts';
import { FaultError, raise } from '../base/fault.ts';
import type { EngineMessage } from '../engine/engine.ts';
import { pruningsOf } from '../exit/prune.ts';
import type { Exit } from '../log/end.ts';
import type { SearchEvent } from '../log/events.ts';
import { checkRules } from '../policy/check.ts';
import type { Expansion } from '../program/program.ts';
import type { Decision, Width } from '../scheduler/scheduler.ts';
import type { Closing, StrandId, TreeEvent } from '../tree/events.ts';
import { drawKey, formKey } from '../tree/keys.ts';
import { Tree } from '../tree/tree.ts';
import type { VerifierMessage } from '../verifier/verifier.ts';
import { Alarms } from './alarms.ts';
import { cancelledByCaller, firstExit, nothingLeft } from './exits.ts';
import { type Arrival, Flights } from './flights.ts';
import { Leases } from './leases.ts';
import type { RuntimeOptions } from './options.ts';
import { checkRequest, type SearchRequest } from './request.ts';
import { type Flight, Search } from './search.ts';
import { Speculation } from './speculation.ts';

type InboxMessage =
  | { readonly from: 'engine'; readonly message: EngineMessage }
  | { readonly from: 'verifier'; readonly message: VerifierMessage }
  | { readonly from: 'caller'; readonly submit: Search }
  | { readonly from: 'caller'; readonly cancel: string };

export class Runtime {
  readonly #options: RuntimeOptions;
  readonly #leases: Leases;
  readonly #flights: Flights;
  readonly #speculation: Speculation;
  readonly #alarms = new Alarms((search) => this.#isLive(search));
  /** Every live search: those that wait and those that run. */
  readonly #live = new Map<string, Search>();
  readonly #waiting = new Map<string, Search>();
  readonly #running = new Map<string, Search>();
  /** Searches in which something happened since they were last asked. */
  readonly #touched = new Set<Search>();
  #inbox: InboxMessage[] = [];
  /** Something changed on which the last decision rests. */
  #stale = false;

  constructor(options: RuntimeOptions) {
    const { engine, verifier, requestTimeoutMs, watches = () => options.onToken !== undefined, onFault } = options;
    this.#options = options;
    this.#leases = new Leases(options.budget);
    this.#flights = new Flights({ engine, verifier, requestTimeoutMs, watches, onFault });
    this.#speculation = new Speculation(this.#leases, this.#flights, (search) => this.#touched.add(search));
    engine.connect((message) => this.#post({ from: 'engine', message }));
    verifier?.connect((message) => this.#post({ from: 'verifier', message }));
  }

  submit(request: SearchRequest): void {
    const aggregation = request.aggregation ?? this.#options.verifier?.capabilities.aggregation ?? 'product';
    this.#accept(request, (listener) => Tree.plant(aggregation, listener));
  }

  /** Goes on from a log: what was asked and never answered is asked again under the same keys. */
  resume(request: SearchRequest, events: Iterable<TreeEvent>, nextSequence: number): void {
    this.#accept(request, (listener) => Tree.replay(events, listener), { nextSequence });
  }

  cancel(id: string): void {
    this.#post({ from: 'caller', cancel: id });
  }

  /** One wake-up. Goes round again only when a ghost became a child or a search ended while being asked. */
  step(): void {
    const nowMs = this.#options.clock.nowMs();
    do {
      this.#drain(nowMs);
      this.#tell();
      this.#prune(nowMs);
      this.#checkExits(nowMs);
      this.#decide(nowMs);
      this.#ask(nowMs);
      this.#flights.dispatch();
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
    return this.#inbox.length > 0;
  }

  get leasesTaken(): number {
    return this.#leases.taken;
  }

  get inFlight(): number {
    return this.#flights.size;
  }

  /** The searches that wait, in order of submission, and those that run, in order of admission: to be read only. */
  get waiting(): ReadonlyMap<string, Search> {
    return this.#waiting;
  }

  get running(): ReadonlyMap<string, Search> {
    return this.#running;
  }

  // ---- inbox ------------------------------------------------------------------------------------------------------

  #accept(
    request: SearchRequest,
    plant: (listener: (event: TreeEvent) => void) => Tree,
    resume?: { readonly nextSequence: number },
  ): void {
    checkRequest(request);
    const { id, program } = request;
    if (this.#live.has(id)) raise('bad-setting', `id '${id}' is in use by a live search`);
    if (program.needsVerifier && this.#options.verifier === undefined) {
      raise('bad-setting', `program '${program.name}' needs a verifier and none is configured`);
    }
    const early: TreeEvent[] = [];
    let search: Search | undefined;
    const tree = plant((event) => (search === undefined ? early.push(event) : this.#onTreeEvent(search, event)));
    checkRules(request.rules, program, tree.aggregation);
    search = new Search(request, tree, this.#options.clock.nowMs(), resume);
    this.#live.set(id, search);
    this.#emit(search, { type: resume === undefined ? 'submitted' : 'resumed' });
    for (const event of early) this.#emit(search, event);
    this.#post({ from: 'caller', submit: search });
  }

  #post(message: InboxMessage): void {
    this.#inbox.push(message);
    this.#options.wake?.();
  }

  // ---- drain ------------------------------------------------------------------------------------------------------

  #drain(nowMs: number): void {
    const messages = this.#inbox;
    this.#inbox = [];
    for (const message of messages) this.#take(message, nowMs);
    this.#flights.expire(nowMs);
    for (const search of this.#alarms.takeDue(nowMs)) this.#touched.add(search);
  }

  #take(message: InboxMessage, nowMs: number): void {
    switch (message.from) {
      case 'engine':
        if (message.message.type === 'token') return this.#stream(message.message);
        return this.#flights.takeFromEngine(message.message, nowMs);
      case 'verifier':
        return this.#flights.takeFromVerifier(message.message, nowMs);
      case 'caller':
        if ('submit' in message) return this.#enqueue(message.submit);
        return this.#finish(this.#live.get(message.cancel), cancelledByCaller, nowMs);
      default:
        return never(message, 'inbox message');
    }
  }

  #stream(message: EngineMessage & { type: 'token' }): void {
    const flight = this.#flights.get(message.request);
    if (flight === undefined || flight.cancelled) return;
    const { search, node, index } = flight;
    this.#options.onToken?.({ search: search.id, node: node.id, index, text: message.text });
  }

  #enqueue(search: Search): void {
    if (!this.#isLive(search)) return;
    this.#waiting.set(search.id, search);
    const { deadlineMs } = search.request.limits;
    if (deadlineMs !== undefined) this.#alarms.set(search.arrivalMs + deadlineMs, search);
    this.#touched.add(search);
    this.#stale = true;
  }

  // ---- tell -------------------------------------------------------------------------------------------------------

  #tell(): void {
    for (const arrival of this.#flights.takeArrivals()) {
      const { search, flight } = arrival;
      if (flight !== undefined) this.#land(flight);
      if (this.#isRunning(search)) this.#tellOne(arrival);
    }
  }

  #land(flight: Flight): void {
    const { search, draw } = flight;
    if (search.flights.get(draw) === flight) search.flights.delete(draw);
    this.#speculation.landed(flight);
  }

  #tellOne({ search, outcome }: Arrival): void {
    this.#touched.add(search);
    if (search.request.rules.boost) this.#stale = true;
    try {
      search.request.program.tell(search.tree, outcome);
    } catch (error) {
      if (!(error instanceof FaultError)) throw error;
      this.#options.onFault?.(search.id, error.fault);
    }
  }

  // ---- prune, exits -----------------------------------------------------------------------------------------------

  #prune(nowMs: number): void {
    for (const search of this.#touched) {
      if (!this.#isRunning(search)) continue;
      for (const rule of search.request.rules.prunes) {
        for (const { strand, evidence } of pruningsOf(rule, search.view(nowMs))) {
          this.#emit(search, { type: 'pruned', strand, rule: rule.name, evidence });
          this.#closeStrand(search, strand, 'pruned');
        }
      }
    }
  }

  #checkExits(nowMs: number): void {
    for (const search of this.#touched) {
      const exit = this.#isLive(search) ? firstExit(search, nowMs, this.#options) : undefined;
      if (exit !== undefined) this.#finish(search, exit, nowMs);
    }
  }

  // ---- decide -----------------------------------------------------------------------------------------------------

  #decide(nowMs: number): void {
    if (!this.#stale) return;
    this.#stale = false;
    const decision = this.#options.scheduler.decide({
      nowMs,
      budget: this.#leases.budget,
      waiting: Array.from(this.#waiting.values(), (search) => search.asWaiting()),
      running: Array.from(this.#running.values(), (search) => search.asRunning()),
    });
    this.#apply(decision, nowMs);
  }

  #apply(decision: Decision, nowMs: number): void {
    for (const [id, count] of decision.preempt) this.#preempt(this.#running.get(id), count);
    for (const search of this.#running.values()) this.#setWidth(search, decision.widths.get(search.id));
    for (const id of decision.admit) this.#admit(this.#waiting.get(id), decision.widths.get(id), nowMs);
  }

  #preempt(search: Search | undefined, count: number): void {
    assert(search !== undefined, 'the scheduler preempts a search that does not run');
    for (const strand of search.request.program.yield(search.tree, count)) {
      this.#emit(search, { type: 'preempted', strand });
      this.#closeStrand(search, strand, 'preempted');
      this.#touched.add(search);
    }
  }

  #setWidth(search: Search, width: Width | undefined): void {
    assert(width !== undefined && width.primary >= 1, `the scheduler gives ${search.id} no strand`);
    const { primary, speculative } = width;
    if (primary === search.width.primary && speculative === search.width.speculative) return;
    if (primary > search.width.primary || speculative > search.width.speculative) this.#touched.add(search);
    search.width = width;
    this.#speculation.shrink(search, speculative);
    this.#emit(search, { type: 'width', primary, speculative });
  }

  #admit(search: Search | undefined, width: Width | undefined, nowMs: number): void {
    assert(search !== undefined, 'the scheduler admits a search that does not wait');
    this.#waiting.delete(search.id);
    this.#running.set(search.id, search);
    search.admittedMs = nowMs;
    const { timeMs } = search.request.limits;
    if (timeMs !== undefined) this.#alarms.set(nowMs + timeMs, search);
    this.#emit(search, { type: 'admitted' });
    this.#setWidth(search, width);
    if (search.resumed) this.#takeUp(search, nowMs);
  }

  /** A search from a log: its open strands get leases, as far as its width goes, and what they wait for is asked again. */
  #takeUp(search: Search, nowMs: number): void {
    const { tree } = search;
    const surplus = tree.strands.size - Math.min(search.width.primary, this.#leases.free);
    const given = surplus > 0 ? search.request.program.yield(tree, surplus) : [];
    for (const strand of given) this.#closeStrand(search, strand, 'preempted');
    for (const { id, node, sampling } of tree.strands.values()) {
      search.leases.set(id, this.#leases.take(search.id));
      const indices = [...(node.inFlight ?? [])].filter(([, owner]) => owner === id).map(([index]) => index);
      if (sampling !== undefined) this.#launch(search, { node, indices, sampling }, nowMs);
    }
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
        this.#launch(search, ask, nowMs);
        continue;
      }
      // A program may close a strand that it finds complete (after a crash): then there is room again.
      if (tree.strands.size < openBefore) continue;
      if (mayOpen && tree.strands.size === 0) return this.#finish(search, nothingLeft(tree), nowMs);
      break;
    }
    this.#speculation.fill(search, nowMs);
  }

  /** Each child comes from a ghost, from a speculative flight that is adopted, or from the engine. */
  #launch(search: Search, expansion: Expansion, nowMs: number): void {
    const { node, sampling } = expansion;
    const form = formKey(sampling);
    const indices = expansion.indices.filter((index) => {
      const draw = drawKey(node.key, index, form);
      const ghost = search.tree.ghosts.get(draw);
      const flight = search.flights.get(draw);
      if (ghost !== undefined) this.#flights.promote(search, node.id, ghost);
      else if (flight !== undefined) this.#speculation.adopt(flight);
      return ghost === undefined && flight === undefined;
    });
    this.#flights.start(search, expansion, indices, 'primary', nowMs);
  }

  // ---- ends -------------------------------------------------------------------------------------------------------

  #finish(search: Search | undefined, exit: Exit, nowMs: number): void {
    if (search === undefined) return;
    for (const strand of [...search.tree.strands.keys()]) this.#closeStrand(search, strand, 'ended');
    this.#speculation.shrink(search, 0);
    for (const flight of [...search.flights.values()]) this.#flights.cancel(flight);
    for (const set of [this.#live, this.#waiting, this.#running]) set.delete(search.id);
    this.#touched.delete(search);
    this.#stale = true;
    this.#options.engine.release(search.id);
    this.#options.verifier?.release(search.id);
    const result = search.result(exit, nowMs);
    const { answer, cost } = result;
    this.#emit(search, { type: 'exited', exit, cost, ...(answer === undefined ? {} : { answer }) });
    this.#options.onEnd?.(result);
  }

  /** Ends a strand from outside its program: what it waits for is cancelled, its lease goes back. */
  #closeStrand(search: Search, id: StrandId, closing: Closing): void {
    const { node, sampling } = search.tree.strand(id);
    const form = sampling === undefined ? 0 : formKey(sampling);
    for (const [index, owner] of node.inFlight ?? []) {
      const flight = owner === id ? search.flights.get(drawKey(node.key, index, form)) : undefined;
      if (flight !== undefined) this.#flights.cancel(flight);
    }
    search.tree.record({ type: 'closed', strand: id, closing });
  }

  // ---- events -----------------------------------------------------------------------------------------------------

  /** Leases follow the tree's own events: taken when a strand opens, given back when it closes, whoever closed it. */
  #onTreeEvent(search: Search, event: TreeEvent): void {
    if (event.type === 'opened') {
      search.leases.set(event.strand, this.#leases.take(search.id));
    } else if (event.type === 'closed') {
      const lease = search.leases.get(event.strand);
      if (lease !== undefined) this.#leases.give(lease);
      search.leases.delete(event.strand);
      this.#stale = true;
    }
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
    return this.#running.get(search.id) === search;
  }
}
