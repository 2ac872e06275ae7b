// The only loop. One call of `step` drains the inbox, tells the programs, prunes and checks exits after each fold, decides on the budget,
// asks the programs and dispatches, in that order; each verb is a file of loop/. Synchronous and without a clock. A fault in one search
// never touches another: parts are called through guard/.

import { never } from '../base/assert.ts';
import { raise } from '../base/fault.ts';
import { type EngineMessage, isCustody } from '../engine/engine.ts';
import type { SearchFold } from '../log/fold.ts';
import { checkRules } from '../policy/check.ts';
import { plantedEvent } from '../tree/events.ts';
import { Tree } from '../tree/tree.ts';
import type { VerifierMessage } from '../verifier/verifier.ts';
import type { ServiceMeter } from './budget/service-meter.ts';
import { workKind } from './budget/work-meter.ts';
import { begin } from './loop/applying.ts';
import { askPrograms } from './loop/asking.ts';
import { decide } from './loop/deciding.ts';
import { endBroken, finish, remove, settle } from './loop/finishing.ts';
import { tellPrograms, watchClock } from './loop/telling.ts';
import type { CancelReason, InboxMessage } from './parts/inbox.ts';
import type { RuntimeOptions } from './parts/options.ts';
import { makeParts, type RuntimeParts } from './parts/parts.ts';
import type { Queue } from './queue/queue.ts';
import { checkRequest, type SearchRequest } from './search/request.ts';
import { Search } from './search/search.ts';

export class Runtime {
  readonly #parts: RuntimeParts;
  #stepMs: number | undefined;

  constructor(options: RuntimeOptions) {
    const parts = makeParts(options);
    this.#parts = parts;
    const { engine, verifier, embedder } = parts.options;
    engine.connect((message) => this.#hear(message, { from: 'engine', message }));
    verifier?.connect((message) => this.#hear(message, { from: 'verifier', message }));
    embedder?.connect((message) => parts.inbox.post({ from: 'embedder', message }));
  }

  /** `fold` is updated here with every event, and read-only elsewhere. */
  submit(request: SearchRequest, fold?: SearchFold): void {
    const search = this.#accept(request, fold);
    const { logs, inbox } = this.#parts;
    logs.add(search, { type: 'submitted' });
    logs.endEntries();
    inbox.post({ from: 'caller', submit: search });
  }

  /** A search from a former process waits without its log; `onLogWanted` asks for the log when its turn has come. */
  revive(request: SearchRequest, fold: SearchFold): void {
    const search = this.#accept(request, fold);
    search.log = 'unread';
    this.#parts.inbox.post({ from: 'caller', submit: search });
  }

  /** The log is in the fold now: unanswered requests are sent again under the same keys. */
  restore(id: string): void {
    const { searches, seeder, logs, inbox } = this.#parts;
    const search = searches.live.get(id);
    if (search === undefined || search.hasLog) return;
    const { tree } = search.fold;
    if (tree === undefined) seeder.plant(search);
    else {
      checkRules(search.request.rules, search.request.program, tree.aggregation);
      seeder.replant(search, tree);
      search.spending.resumed(tree);
      search.ledger.resumed(search.fold.tokens + search.fold.ghostTokens);
    }
    search.log = 'read';
    logs.add(search, { type: 'resumed' });
    logs.endEntries();
    inbox.post({ from: 'caller', restored: search });
  }

  #accept(request: SearchRequest, fold?: SearchFold): Search {
    checkRequest(request);
    const { id, program, priority, rules } = request;
    const { options, searches, queue, grouping } = this.#parts;
    const { verifier, clock } = options;
    if (searches.live.has(id)) raise('bad-setting', `id '${id}' is in use by a live search`);
    if (program.needsVerifier && verifier === undefined) {
      raise('bad-setting', `program '${program.name}' needs a verifier and none is configured`);
    }
    const aggregation = request.aggregation ?? verifier?.capabilities.aggregation ?? 'product';
    checkRules(rules, program, aggregation);
    const arrivalMs = clock.nowMs();
    const idle = request.idle === true;
    const kind = workKind(program.name, request.limits.rollouts);
    const turn = queue.turnOf(id, { arrivalMs, priority, seats: program.naturalWidth, idle, kind });
    const tree = Tree.replay([plantedEvent(aggregation, program.fullAt)]);
    const search: Search = new Search(request, { tree, fold, arrivalMs, turn, grouping, keeper: searches });
    searches.enter(search);
    return search;
  }

  cancel(id: string, reason: CancelReason = 'caller'): void {
    this.#parts.inbox.post({ from: 'caller', cancel: id, reason });
  }

  /** Removes a search that never ran here, without a word in its log. */
  withdraw(id: string): void {
    const { searches } = this.#parts;
    const search = searches.live.get(id);
    if (search !== undefined) remove(this.#parts, search);
    searches.reconsider();
  }

  /** Repeats only when a ghost became a child or a search ended while being asked. */
  step(): void {
    this.#stepMs = this.#parts.options.clock.nowMs();
    try {
      this.#round(this.#stepMs);
      this.#parts.service.dispatched(this.#parts.options.clock.nowMs());
    } finally {
      this.#stepMs = undefined;
    }
  }

  #round(nowMs: number): void {
    const parts = this.#parts;
    const { flights, grouping, searches, logs } = parts;
    do {
      this.#drain(nowMs);
      tellPrograms(parts, nowMs);
      watchClock(parts, nowMs);
      endBroken(parts, nowMs);
      decide(parts, nowMs);
      askPrograms(parts, nowMs);
      endBroken(parts, nowMs);
      flights.dispatch(nowMs);
      grouping.dispatch();
      settle(parts);
    } while (flights.hasArrivals || searches.isStale);
    logs.endEntries();
  }

  #drain(nowMs: number): void {
    const { inbox, flights, alarms, searches } = this.#parts;
    for (const message of inbox.takeAll()) this.#take(message, nowMs);
    flights.expire(nowMs);
    for (const search of alarms.takeDue(nowMs)) searches.touch(search);
  }

  #take(message: InboxMessage, nowMs: number): void {
    const { flights, grouping } = this.#parts;
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
        return this.#cancel(message.cancel, message.reason, nowMs);
      default:
        return never(message, 'inbox message');
    }
  }

  #enqueue(search: Search): void {
    const { searches, queue, alarms } = this.#parts;
    if (!searches.isLive(search)) return;
    queue.add(search);
    const { deadlineMs } = search.request.limits;
    if (deadlineMs !== undefined) alarms.set(search.arrivalMs + deadlineMs, search);
    searches.touch(search);
    searches.isStale = true;
  }

  #takeUpRestored(search: Search, nowMs: number): void {
    const { searches } = this.#parts;
    if (!searches.isLive(search)) return;
    searches.touch(search);
    if (searches.isRunning(search)) begin(this.#parts, search, search.width, new Map(), nowMs);
  }

  #cancel(id: string, rule: CancelReason, nowMs: number): void {
    const search = this.#parts.searches.live.get(id);
    if (search !== undefined) finish(this.#parts, search, { kind: 'cancelled', rule, evidence: {} }, nowMs);
  }

  /** A change of custody only restarts a request's timeout. Queueing these messages would cause 40 % of the loop's steps. */
  #hear(said: EngineMessage | VerifierMessage, message: InboxMessage): void {
    const { options, inbox, flights, service } = this.#parts;
    if (said.type === 'step') service.arrived(options.clock.nowMs());
    if (!isCustody(said)) return inbox.post(message);
    flights.restartTimeout(said, this.#stepMs ?? options.clock.nowMs());
    // After a step the owner asks for the next alarm anyway.
    if (this.#stepMs === undefined) options.wake?.();
  }

  /** When to call `step` if nothing arrives: at the next time limit, deadline, overdue request or waiting scores. */
  nextWakeMs(): number | undefined {
    const { alarms, flights } = this.#parts;
    const times = [alarms.nextMs(), flights.nextExpiryMs(), flights.scoresDueMs];
    const due = times.filter((each) => each !== undefined);
    return due.length === 0 ? undefined : Math.min(...due);
  }

  get hasMail(): boolean {
    return !this.#parts.inbox.isEmpty;
  }

  get leasesTaken(): number {
    return this.#parts.leases.taken;
  }

  get inFlight(): number {
    return this.#parts.flights.size;
  }

  get ours(): Readonly<ServiceMeter['ours']> {
    return this.#parts.service.ours;
  }

  get queue(): Queue {
    return this.#parts.queue;
  }

  get queueAgeMs(): number {
    return this.queue.ageMs(this.#parts.options.clock.nowMs());
  }

  /** Waiting in order of submission, running in order of admission; read-only. */
  get waiting(): ReadonlyMap<string, Search> {
    return this.queue.searches;
  }

  get running(): ReadonlyMap<string, Search> {
    return this.#parts.searches.running;
  }
}
