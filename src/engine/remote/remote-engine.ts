// The remote engine: many searches' steps on a few servers. It owns the queue: each replica gets no more than it has room
// for, primary work first; a search stays with the replica that holds its prefix; what a failing replica drops is done
// again elsewhere. Every request is answered exactly once, whatever the servers do. It must never hold an answer back
// because another request failed, and never accept one for a request that was cancelled.

import { type Fault, fault } from '../../base/fault.ts';
import { Random } from '../../base/random.ts';
import { liveTimers, type Timers } from '../../base/timers.ts';
import { attemptsAfter, mayRetry, retryDelayMs } from '../../remote/retry.ts';
import type { Step } from '../../tree/step.ts';
import type {
  Engine,
  EngineCapabilities,
  EngineLoad,
  EngineMessage,
  GenerateRequest,
  GenerationUsage,
  RequestId,
  Urgency,
} from '../engine.ts';
import { Attempt } from './flight/attempt.ts';
import { Awaited } from './flight/awaited.ts';
import { callFor } from './flight/call.ts';
import { CallNames } from './flight/call-names.ts';
import { blank, faultOf, tooLong, tried } from './flight/faults.ts';
import { OnWire } from './flight/on-wire.ts';
import { type Child, childOf, type Job, liveChildren } from './flight/queue.ts';
import { blamedFor, type Refusable, refusalText } from './flight/refusable.ts';
import { groupSiblings, runsOf } from './flight/siblings.ts';
import { StepTime } from './flight/step-time.ts';
import type { FollowedList } from './list/followed-list.ts';
import { checkOptions, type RemoteEngineOptions, remoteDefaults } from './options.ts';
import { Prefixes } from './prefixes.ts';
import { Affinity } from './replica/affinity.ts';
import { Fleet, followedBy, type OpenedReplicas } from './replica/fleet.ts';
import { GaugeWatch } from './replica/gauge-watch.ts';
import { ReplicaHealth } from './replica/health.ts';
import type { Replica } from './replica/replica.ts';
import { loadOf, outageOf, type ReplicaStatus, siblingLimit, statusOf } from './replica/replicas.ts';
import { RouterHints } from './replica/router-hints.ts';
import { Watch } from './replica/watch.ts';
import { WaitingWork } from './waiting-work.ts';

/** Blank steps thrown away before the request fails. */
const rejections = 3;

/** Tokens after which a path in one piece is said to be growing. */
const sign = 64;

/** A limit that moves by less than this is the usual search for it. */
const muchLess = 0.75;

export class RemoteEngine implements Engine {
  readonly capabilities: EngineCapabilities;
  readonly #options: RemoteEngineOptions & typeof remoteDefaults;
  readonly #fleet: Fleet;
  readonly #replicas: readonly Replica[];
  readonly #list: FollowedList | undefined;
  readonly #timers: Timers;
  readonly #chance: Random;
  readonly #prefixes = new Prefixes();
  readonly #awaited = new Awaited();
  readonly #affinity: Affinity;
  readonly #hints: RouterHints;
  readonly #waiting: WaitingWork;
  readonly #health: ReplicaHealth;
  readonly #onWire = new OnWire();
  readonly #watch: Watch;
  readonly #gauges: GaugeWatch;
  readonly #stepTime = new StepTime();
  #order = 0;
  #closed = false;
  #up: number;
  #onReplicas: (() => void) | undefined;
  readonly #names: CallNames;

  /** Use `openRemoteEngine`, which asks the servers what they are. */
  constructor(options: RemoteEngineOptions, opened: OpenedReplicas, capabilities: EngineCapabilities) {
    checkOptions(options);
    this.#options = { ...remoteDefaults, ...options };
    this.capabilities = capabilities;
    this.#timers = options.timers ?? liveTimers;
    this.#fleet = new Fleet(opened, this.#timers, options.observe, {
      joined: () => this.#spread(),
      kept: (replica, reason) => this.#probed(replica, reason),
      leaving: (replica) => this.#empty(replica),
    });
    const replicas = this.#fleet.all;
    this.#replicas = replicas;
    this.#affinity = new Affinity(replicas);
    this.#hints = new RouterHints(options);
    this.#waiting = new WaitingWork(this.#affinity, this.#awaited, () => this.#watch.arm());
    this.#chance = new Random('remote-engine', this.#options.seed);
    this.#health = new ReplicaHealth(this.#timers, this.#chance, options.observe);
    this.#names = new CallNames(this.#options.seed, this.#timers.nowMs());
    this.#watch = new Watch(this.#timers, this.#options, replicas, {
      stalled: (attempt, reason) => attempt.stall(reason),
      probed: (replica, reason) => this.#probed(replica, reason),
      tick: () => this.#giveUpParked(),
    });
    this.#gauges = new GaugeWatch(this.#timers, (replica, settledRoom) => {
      this.#tellLimit(replica, settledRoom);
      this.#pump(replica);
    });
    for (const replica of replicas) if (replica.breaker.state === 'open') this.#watch.probeLater(replica);
    this.#up = this.#usable().length;
    this.#list = options.listed && followedBy(this.#fleet, options.listed, this.#timers, options.observe);
  }

  connect(post: (message: EngineMessage) => void): void {
    this.#awaited.connect(post);
  }

  /** What a server thinks of a schema it says when it is asked. */
  shapeTrouble(): string | undefined {
    const unable = this.#replicas.find(({ reached, dialect }) => reached && dialect.holdsShapes === undefined);
    return unable && `its server speaks as '${unable.dialect.name}' does, which holds no step to a schema`;
  }

  generate(requests: readonly GenerateRequest[]): void {
    if (this.#closed) {
      const reason = fault('unavailable', 'the engine is closed', { retryable: false });
      for (const { id } of requests) this.#awaited.refuse(id, reason);
      return;
    }
    const limit = this.#options.siblings === 'single' ? 1 : siblingLimit(this.#replicas);
    for (const group of groupSiblings(requests, limit)) {
      const children = group.map(childOf);
      const { search } = group[0]!;
      for (const child of children) this.#awaited.add(child);
      const sinceMs = this.#timers.nowMs();
      this.#order += 1;
      this.#waiting.place({ children, search, order: this.#order, sinceMs, attempts: 0 });
    }
    this.#pumpAll();
  }

  divide(sharersOf: (url: string) => number): void {
    this.#fleet.divide(sharersOf);
    this.#pumpAll();
  }

  servers(): string[] {
    return this.#replicas.filter(({ leavingMs }) => leavingMs === undefined).map(({ connection }) => connection.url);
  }

  /** For requests that go past this engine: servers that may get work, or all while none may. */
  usable(): string[] {
    const urls = this.#usable().map(({ connection }) => connection.url);
    return urls.length > 0 ? urls : this.servers();
  }

  #usable(): Replica[] {
    return this.#replicas.filter(({ isUsable }) => isUsable);
  }

  watchReplicas(changed: () => void): void {
    this.#onReplicas = changed;
  }

  #recount(): void {
    const up = this.#usable().length;
    if (up === this.#up) return;
    this.#up = up;
    this.#onReplicas?.();
  }

  cancel(requests: readonly RequestId[]): void {
    for (const id of requests) {
      const child = this.#awaited.get(id);
      if (child === undefined || child.dropped) continue;
      child.dropped = true;
      const attempt = this.#onWire.attemptOf(child);
      child.waits?.queue.forget();
      if (attempt === undefined) this.#awaited.fault(child, this.#cancelled());
      else this.#dropForsaken(attempt);
    }
    this.#pumpAll();
  }

  /** What waits at a server of its own accord keeps the urgency that it was sent with. */
  update(request: RequestId, urgency: Urgency): void {
    const child = this.#awaited.get(request);
    if (child === undefined || child.dropped) return;
    child.urgency = urgency;
    child.waits?.queue.update(child.waits.job);
    this.#pumpAll();
  }

  release(search: string): void {
    this.#affinity.release(search);
    this.#hints.release(search);
    this.#prefixes.release(search);
  }

  load(): EngineLoad {
    const load = loadOf(this.#replicas, this.#waiting.parkedSequences, this.#stepTime.ms);
    return this.#list === undefined ? load : { ...load, listHealthy: this.#list.trouble === undefined };
  }

  status(): ReplicaStatus[] {
    return this.#replicas.map(statusOf);
  }

  async close(): Promise<void> {
    this.cancel(this.#awaited.ids);
    this.#closed = true;
    this.#watch.stop();
    this.#gauges.stop();
    this.#list?.stop();
    for (const replica of this.#replicas) replica.connection.close();
  }

  #tellLimit({ limit, connection }: Replica, before: number | undefined): void {
    if (before === undefined || limit.room > before * muchLess) return;
    const reason = `runs ${limit.room} sequences at a time where it ran ${before}`;
    this.#options.observe?.({ type: 'replica-limit', url: connection.url, reason });
  }

  // Sending: from the front of a queue onto the wire.

  #pump(replica: Replica): void {
    while (!this.#closed && replica.mayStart()) this.#start(replica, replica.queue.pop()!);
  }

  #pumpAll(): void {
    for (const replica of this.#replicas) this.#pump(replica);
  }

  #start(replica: Replica, job: Job): void {
    const children = liveChildren(job);
    const places = children.length;
    replica.inFlight += places;
    this.#awaited.tellCustody('taken', job);
    if (!replica.dialect.takesTokens) return this.#send(replica, job, places, undefined);
    const tokens = this.#prefixes.tokens(children[0]!.request, replica);
    if (!(tokens instanceof Promise)) return this.#send(replica, job, places, tokens);
    tokens.then(
      (known) => this.#send(replica, job, places, known),
      (error: unknown) => {
        replica.inFlight -= places;
        this.#failed(replica, job, faultOf(error));
      },
    );
  }

  #send(replica: Replica, job: Job, places: number, tokenIds: readonly number[] | undefined): void {
    const children = liveChildren(job);
    // What was cancelled meanwhile gives its place back at once.
    replica.inFlight -= places - children.length;
    if (children.length === 0) return this.#pump(replica);
    const roomTokens = (replica.facts.contextTokens ?? Number.POSITIVE_INFINITY) - (tokenIds?.length ?? 0);
    if (roomTokens < 1) {
      replica.inFlight -= children.length;
      for (const child of children)
        this.#awaited.fault(child, tooLong(replica.connection.url, replica.facts, tokenIds!.length));
      return this.#pump(replica);
    }
    for (const run of replica.refused.has('n') ? children.map((child) => [child]) : runsOf(children)) {
      this.#open(replica, { ...job, children: run }, tokenIds, roomTokens);
    }
    this.#watch.arm();
    this.#gauges.arm(replica);
  }

  #open(replica: Replica, job: Job, tokenIds: readonly number[] | undefined, roomTokens: number): void {
    const { connection, dialect, facts, refused } = replica;
    const { children, search } = job;
    const call = callFor(children, { dialect, facts, refused, tokenIds, roomTokens, name: this.#names.take() });
    const stepMs = (): number | undefined => this.#stepTime.ms;
    const hints = this.#hints.body(call, this.#stepTime.tokens);
    const headers = { ...this.#hints.headers(search, call), ...replica.rankHeaders(search) };
    const nowMs = (): number => this.#timers.nowMs();
    const attempt: Attempt = new Attempt(
      { connection, dialect, facts, call, children, headers, hints, nowMs, stepMs },
      {
        head: (received) => {
          if (this.#affinity.has(search)) this.#hints.keepSession(search, received['x-session-token']);
        },
        firstToken: (afterMs) => replica.limit.firstToken(afterMs, replica.inFlight, nowMs()),
        token: (child, text, tokens) => {
          // A path in one piece takes longer than a step may: as long as it grows, the server is at work.
          if (call.whole && tokens % sign === 0) this.#awaited.tellCustody('taken', { ...job, children: [child] });
          this.#awaited.token(child, text, tokens);
        },
        step: (child, step, usage) => this.#stepped(replica, job, attempt, child, step, usage),
        done: () => {
          this.#leave(replica, attempt);
          this.#health.succeeded(replica);
          this.#pump(replica);
        },
        fail: (reason) => {
          this.#leave(replica, attempt);
          const left = this.#onWire.writtenBy(attempt);
          for (const child of left) if (child.dropped) this.#charge(child, attempt.usage(child));
          const blamed = blamedFor(reason, call);
          if (blamed === undefined) this.#failed(replica, { ...job, children: left }, reason);
          else this.#without(replica, blamed, { ...job, children: left });
        },
      },
    );
    replica.attempts.add(attempt);
    this.#onWire.add(attempt);
  }

  // Answers.

  #stepped(replica: Replica, job: Job, attempt: Attempt, child: Child, step: Step, usage: GenerationUsage): void {
    replica.inFlight -= 1;
    this.#stepTime.observe(attempt, step);
    if (child.dropped) this.#charge(child, usage);
    else this.#take(replica, job, child, step, usage, attempt.call.tokenIds);
    this.#dropForsaken(attempt);
    this.#pump(replica);
  }

  #take(
    replica: Replica,
    job: Job,
    child: Child,
    step: Step,
    usage: GenerationUsage,
    readIds: readonly number[] | undefined,
  ): void {
    if (step.end === 'eos' || step.text.trim() !== '' || child.request.exact === true) {
      this.#awaited.step(child, step, usage, readIds);
      return;
    }
    // A blank step says nothing about the answer: draw again, then give up.
    child.rejected += 1;
    child.streamed = true;
    if (child.rejected < rejections) this.#redraw({ ...job, children: [child] });
    else this.#awaited.fault(child, blank(replica.connection.url, rejections));
  }

  /** The answer to a cancelled child, with what it cost. */
  #charge(child: Child, usage: GenerationUsage): void {
    this.#awaited.fault(child, this.#cancelled(), usage);
  }

  // Failures.

  #failed(replica: Replica, job: Job, reason: Fault): void {
    if (replica.leavingMs === undefined && this.#health.failed(replica, reason)) this.#takeOut(replica);
    const children = liveChildren(job);
    const attempts = attemptsAfter(job.attempts, reason);
    if (!mayRetry(reason, { ...job, attempts }, this.#options, this.#timers.nowMs())) {
      for (const child of children) this.#awaited.fault(child, attempts > 1 ? tried(reason, attempts) : reason);
    } else if (children.length > 0) {
      for (const child of children) child.streamed = true;
      this.#again(replica, { ...job, children, attempts });
    }
    this.#pumpAll();
  }

  /** The server refuses something that steps can do without: once more without it, and never again with it. */
  #without(replica: Replica, blamed: Refusable, job: Job): void {
    if (!replica.refused.has(blamed)) {
      const reason = refusalText(blamed);
      this.#options.observe?.({ type: 'replica-refuses', url: replica.connection.url, reason });
    }
    replica.refused.add(blamed);
    this.#onWire.forget(job.children);
    this.#waiting.place(job);
    this.#pumpAll();
  }

  /** Nothing failed: the same place, another seed. Its search may live on another replica by now. */
  #redraw(job: Job): void {
    this.#onWire.forget(job.children);
    this.#waiting.place(job);
    this.#pumpAll();
  }

  /** At once on another replica; on the same one after a pause. */
  #again(replica: Replica, job: Job): void {
    this.#onWire.forget(job.children);
    const elsewhere = this.#replicas.some((each) => each !== replica && each.isUsable);
    if (elsewhere || !replica.isUsable) {
      this.#waiting.place(job, replica);
      return;
    }
    this.#awaited.tellCustody('held', job);
    const delayMs = retryDelayMs(job.attempts, this.#chance.uniform());
    this.#timers.after(delayMs, () => {
      if (this.#closed || liveChildren(job).length === 0) return;
      this.#waiting.place(job);
      this.#pumpAll();
    });
  }

  // Replicas that come and go.

  #spread(): void {
    this.#recount();
    this.#waiting.spread(this.#replicas);
    this.#pumpAll();
  }

  #empty(replica: Replica): void {
    this.#recount();
    this.#waiting.leave(replica);
    this.#pumpAll();
  }

  #takeOut(replica: Replica): void {
    this.#recount();
    this.#waiting.leave(replica);
    this.#watch.probeLater(replica);
  }

  /** A probe has come back: without a reason, the replica is on trial and parked work may go there. */
  #probed(replica: Replica, reason: Fault | undefined): void {
    if (!this.#replicas.includes(replica)) return;
    if (!this.#health.probed(replica, reason)) return this.#watch.probeLater(replica);
    this.#recount();
    this.#fleet.settle();
    this.#waiting.unpark();
    this.#pumpAll();
  }

  #giveUpParked(): void {
    const late = this.#waiting.takeParkedSince(this.#timers.nowMs() - this.#options.patienceMs);
    if (late.length === 0) return;
    const reason = fault(
      'unavailable',
      `no server answered for ${this.#options.patienceMs} ms (patienceMs): ${outageOf(this.#replicas)}`,
    );
    for (const job of late) for (const child of liveChildren(job)) this.#awaited.fault(child, reason);
  }

  /** A search that is given up during an outage says so. */
  #cancelled(): Fault {
    const down = !this.#replicas.some((each) => each.isUsable);
    return fault(
      'cancelled',
      'the request was cancelled',
      down ? { cause: `no server was up: ${outageOf(this.#replicas)}` } : {},
    );
  }

  /** What shares a request goes on at the server while one of it is waited for; then what is left is stopped. */
  #dropForsaken(attempt: Attempt): void {
    if (!this.#onWire.isForsaken(attempt)) return;
    attempt.abort();
    const replica = this.#replicas.find((each) => each.attempts.has(attempt));
    if (replica !== undefined) this.#leave(replica, attempt);
    for (const child of this.#onWire.writtenBy(attempt)) this.#charge(child, attempt.usage(child));
  }

  /** Its sequences that have not ended give their places back; the others have. */
  #leave(replica: Replica, attempt: Attempt): void {
    if (replica.attempts.delete(attempt)) replica.inFlight -= attempt.running;
  }
}
