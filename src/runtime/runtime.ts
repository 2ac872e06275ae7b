// The only loop of coppice. Engines, verifiers and callers post to the inbox; one call of `step` drains it, tells the
// programs, prunes, checks exits, decides on the budget, asks the programs and dispatches, always in that order. It is
// synchronous and has no clock of its own: live, sockets and worker threads wake it; simulated, an event heap does. What
// the simulator proves is what production runs. A fault in one search never touches another.

import { assert, never } from '../base/assert.ts';
import type { Clock } from '../base/clock.ts';
import { type Fault, FaultError, raise } from '../base/fault.ts';
import { Heap } from '../base/heap.ts';
import type { Engine, EngineMessage, Lane } from '../engine/engine.ts';
import type { Exit } from '../exit/exit.ts';
import { checkRules } from '../policy/check.ts';
import type { Expansion } from '../program/program.ts';
import type { Decision, Scheduler, Width } from '../scheduler/scheduler.ts';
import type { Closing, StrandId, TreeEvent } from '../tree/events.ts';
import type { Node } from '../tree/node.ts';
import { ghostKey, Tree } from '../tree/tree.ts';
import type { Verifier, VerifierMessage } from '../verifier/verifier.ts';
import type { LoggedEvent, SearchEvent } from './events.ts';
import { type Arrival, type Flight, Flights } from './flights.ts';
import { Leases } from './leases.ts';
import { checkRequest, type SearchRequest, type SearchResult } from './request.ts';
import { Search } from './search.ts';

export interface RuntimeOptions {
  readonly engine: Engine;
  /** Without one, only programs that need none can run. */
  readonly verifier?: Verifier;
  readonly scheduler: Scheduler;
  /** M, P0 §4.1: strands open at a time, over all searches and lanes. */
  readonly budget: number;
  readonly clock: Clock;
  /** A request that is not answered for so long counts as failed; undefined waits for ever. */
  readonly requestTimeoutMs?: number;
  /** Strands of one search that may fail in a row before it ends as `failed`. */
  readonly maxFailures?: number;
  readonly onEvent?: (event: LoggedEvent) => void;
  readonly onEnd?: (result: SearchResult) => void;
  readonly onToken?: (token: Token) => void;
  readonly onFault?: (search: string, fault: Fault) => void;
  /** The inbox has something: `step` should be called soon. */
  readonly wake?: () => void;
}

/** Text of a child as it is being generated. */
export interface Token {
  readonly search: string;
  readonly node: number;
  readonly index: number;
  readonly text: string;
}

type InboxMessage =
  | { readonly from: 'engine'; readonly message: EngineMessage }
  | { readonly from: 'verifier'; readonly message: VerifierMessage }
  | { readonly from: 'caller'; readonly submit: Search }
  | { readonly from: 'caller'; readonly cancel: string };

const defaultMaxFailures = 8;

export class Runtime {
  readonly #options: RuntimeOptions;
  readonly #leases: Leases;
  readonly #flights: Flights;
  /** Every live search: those that wait and those that run. */
  readonly #live = new Map<string, Search>();
  readonly #waiting = new Map<string, Search>();
  readonly #running = new Map<string, Search>();
  readonly #wakes = new Heap<{ readonly atMs: number; readonly search: Search }>((a, b) => a.atMs < b.atMs);
  /** Searches in which something happened since they were last asked. */
  readonly #touched = new Set<Search>();
  #inbox: InboxMessage[] = [];
  /** Something changed on which the last decision rests. */
  #stale = false;

  constructor(options: RuntimeOptions) {
    const { engine, verifier, requestTimeoutMs, onFault } = options;
    this.#options = options;
    this.#leases = new Leases(options.budget);
    this.#flights = new Flights({ engine, verifier, requestTimeoutMs, onFault });
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
    let next = this.#wakes.peek();
    while (next !== undefined && !this.#isLive(next.search)) {
      this.#wakes.pop();
      next = this.#wakes.peek();
    }
    const expiryMs = this.#flights.nextExpiryMs();
    if (next === undefined || expiryMs === undefined) return next?.atMs ?? expiryMs;
    return Math.min(next.atMs, expiryMs);
  }

  /** Something was posted since the last step, for instance by an engine that answers at once. */
  get hasMail(): boolean {
    return this.#inbox.length > 0;
  }

  get budget(): number {
    return this.#leases.budget;
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

  #drain(nowMs: number): void {
    const messages = this.#inbox;
    this.#inbox = [];
    for (const message of messages) this.#take(message, nowMs);
    this.#flights.expire(nowMs);
    for (let due = this.#wakes.peek(); due !== undefined && due.atMs <= nowMs; due = this.#wakes.peek()) {
      this.#wakes.pop();
      if (this.#isLive(due.search)) this.#touched.add(due.search);
    }
  }

  #take(message: InboxMessage, nowMs: number): void {
    switch (message.from) {
      case 'engine':
        if (message.message.type === 'token') return this.#stream(message.message);
        return this.#flights.takeFromEngine(message.message, nowMs);
      case 'verifier':
        return this.#flights.takeFromVerifier(message.message);
      case 'caller':
        if ('submit' in message) return this.#enqueue(message.submit);
        return this.#finish(this.#live.get(message.cancel), { kind: 'cancelled', rule: 'caller', evidence: {} }, nowMs);
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
    if (deadlineMs !== undefined) this.#wakes.push({ atMs: search.arrivalMs + deadlineMs, search });
    this.#touched.add(search);
    this.#stale = true;
  }

  #tell(): void {
    for (const arrival of this.#flights.takeArrivals()) {
      const { search, flight } = arrival;
      if (flight !== undefined) this.#land(flight);
      if (this.#running.get(search.id) === search) this.#tellOne(arrival);
    }
  }

  #land(flight: Flight): void {
    const { search, node, index } = flight;
    const key = ghostKey(node.id, index);
    if (search.flights.get(key) === flight) search.flights.delete(key);
    if (flight.lane === 'speculative') this.#settleSpeculation(search, node);
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

  #prune(nowMs: number): void {
    for (const search of this.#touched) {
      if (this.#running.get(search.id) !== search) continue;
      for (const rule of search.request.rules.prunes) {
        for (const { strand, evidence } of rule.check(search.view(nowMs))) {
          this.#emit(search, { type: 'pruned', strand, rule: rule.name, evidence });
          this.#closeStrand(search, strand, 'pruned');
        }
      }
    }
  }

  #checkExits(nowMs: number): void {
    for (const search of this.#touched) {
      const exit = this.#isLive(search) ? this.#firstExit(search, nowMs) : undefined;
      if (exit !== undefined) this.#finish(search, exit, nowMs);
    }
  }

  #firstExit(search: Search, nowMs: number): Exit | undefined {
    const view = search.view(nowMs);
    for (const rule of search.request.rules.exits) {
      const exit = rule.check(view);
      if (exit !== undefined) return exit.kind === 'deadline' ? this.#explain(search, exit) : exit;
    }
    const maxFailures = this.#options.maxFailures ?? defaultMaxFailures;
    const { failuresInARow } = search.tree;
    if (failuresInARow < maxFailures) return undefined;
    return { kind: 'failed', rule: 'failures', evidence: { failuresInARow, maxFailures } };
  }

  /** A deadline that passed without an answer while engine or verifier were out is their failure, and says so. */
  #explain(search: Search, exit: Exit): Exit {
    const { engine, verifier } = this.#options;
    const trouble = engine.load().trouble ?? verifier?.load().trouble;
    if (trouble === undefined || search.request.program.answer(search.tree)?.complete === true) return exit;
    return { kind: 'failed', rule: 'trouble', evidence: { ...exit.evidence, trouble } };
  }

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
    while (search.speculations.size > speculative) this.#dropSpeculation(search);
    this.#emit(search, { type: 'width', primary, speculative });
  }

  #admit(search: Search | undefined, width: Width | undefined, nowMs: number): void {
    assert(search !== undefined, 'the scheduler admits a search that does not wait');
    this.#waiting.delete(search.id);
    this.#running.set(search.id, search);
    search.admittedMs = nowMs;
    const { timeMs } = search.request.limits;
    if (timeMs !== undefined) this.#wakes.push({ atMs: nowMs + timeMs, search });
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
      if (sampling !== undefined) this.#launch(search, { node, indices, sampling }, 'primary', nowMs);
    }
  }

  #ask(nowMs: number): void {
    const touched = [...this.#touched];
    this.#touched.clear();
    for (const search of touched) {
      if (this.#running.get(search.id) === search) this.#askOne(search, nowMs);
    }
  }

  #askOne(search: Search, nowMs: number): void {
    const { tree, request } = search;
    for (;;) {
      const openBefore = tree.strands.size;
      const mayOpen = openBefore < search.width.primary;
      const ask = request.program.ask(tree, mayOpen);
      if (ask !== undefined) {
        assert(ask.indices.length > 0, `program '${request.program.name}' asks for no child`);
        this.#launch(search, ask, 'primary', nowMs);
        continue;
      }
      // A program may close a strand that it finds complete (after a crash): then there is room again.
      if (tree.strands.size < openBefore) continue;
      if (mayOpen && tree.strands.size === 0) return this.#finish(search, nothingLeft(tree), nowMs);
      break;
    }
    if (search.width.speculative > search.speculations.size) this.#speculate(search, nowMs);
  }

  #speculate(search: Search, nowMs: number): void {
    const wanted = search.width.speculative;
    for (const expansion of search.request.program.foresee(search.tree, wanted)) {
      if (search.speculations.size >= wanted) return;
      const { node } = expansion;
      const unknown = (index: number) => !search.knows(ghostKey(node.id, index));
      const indices = expansion.indices.filter(unknown);
      if (indices.length === 0 || search.speculations.has(node.id)) continue;
      search.speculations.set(node.id, { lease: this.#leases.take(search.id), remaining: indices.length });
      this.#launch(search, { ...expansion, indices }, 'speculative', nowMs);
    }
  }

  /** Each child comes from a ghost, from a speculative flight that is adopted, or from the engine. */
  #launch(search: Search, expansion: Expansion, lane: Lane, nowMs: number): void {
    const { node } = expansion;
    const indices = expansion.indices.filter((index) => {
      const key = ghostKey(node.id, index);
      const ghost = search.tree.ghosts.get(key);
      const flight = search.flights.get(key);
      if (ghost !== undefined) this.#flights.promote(search, ghost);
      else if (flight !== undefined) this.#adopt(flight);
      return ghost === undefined && flight === undefined;
    });
    this.#flights.start(search, expansion, indices, lane, nowMs);
  }

  #adopt(flight: Flight): void {
    if (flight.lane === 'primary') return;
    flight.lane = 'primary';
    this.#settleSpeculation(flight.search, flight.node);
  }

  #finish(search: Search | undefined, exit: Exit, nowMs: number): void {
    if (search === undefined) return;
    for (const strand of [...search.tree.strands.keys()]) this.#closeStrand(search, strand, 'ended');
    while (search.speculations.size > 0) this.#dropSpeculation(search);
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
    const { node } = search.tree.strand(id);
    for (const [index, owner] of node.inFlight ?? []) {
      const flight = owner === id ? search.flights.get(ghostKey(node.id, index)) : undefined;
      if (flight !== undefined) this.#flights.cancel(flight);
    }
    search.tree.record({ type: 'closed', strand: id, closing });
  }

  /** The latest speculation goes first. */
  #dropSpeculation(search: Search): void {
    const [last] = [...search.speculations].slice(-1);
    assert(last !== undefined, 'there is no speculation to drop');
    const [node, { lease }] = last;
    for (const flight of [...search.flights.values()]) {
      if (flight.node.id === node && flight.lane === 'speculative') this.#flights.cancel(flight);
    }
    search.speculations.delete(node);
    this.#leases.give(lease);
  }

  #settleSpeculation(search: Search, node: Node): void {
    const speculation = search.speculations.get(node.id);
    if (speculation === undefined) return;
    speculation.remaining -= 1;
    if (speculation.remaining > 0) return;
    search.speculations.delete(node.id);
    this.#leases.give(speculation.lease);
    this.#touched.add(search);
  }

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
}

function nothingLeft(tree: Tree): Exit {
  const { completed } = tree.closed;
  return { kind: 'exhausted', rule: 'nothing-left', evidence: { rollouts: completed, nodes: tree.nodes.length } };
}
