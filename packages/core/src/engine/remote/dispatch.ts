// Sends jobs from a replica's queue and takes what comes back. A replica gets no more than it has room for. Every child that was sent is
// answered, or waits again for this replica or another; a cancelled one never gets a step.

import type { Timers } from '../../base/clock.ts';
import { type Fault, fault } from '../../base/fault.ts';
import { hash, type Random } from '../../base/random.ts';
import { faultOf } from '../../remote/failure.ts';
import { attemptsAfter, mayRetry, retryDelayMs } from '../../remote/retry.ts';
import { agentTurn } from '../../tree/readings/agent-turn.ts';
import type { Step } from '../../tree/step.ts';
import type { GenerationUsage } from '../engine.ts';
import { turnDialect } from './dialect/turn.ts';
import { Attempt } from './flight/attempt.ts';
import type { Awaited } from './flight/awaited.ts';
import { callFor } from './flight/call.ts';
import { type Child, isLive, type Job, liveChildren } from './flight/queue.ts';
import { blamedFor, type Refusable, refusalText } from './flight/refusable.ts';
import { runsOf } from './flight/siblings.ts';
import type { RemoteEngineOptions, remoteDefaults } from './options.ts';
import { Prefixes } from './prefixes.ts';
import type { Affinity } from './replica/affinity.ts';
import type { Fleet } from './replica/fleet.ts';
import type { GaugeWatch } from './replica/gauge-watch.ts';
import type { ReplicaHealth } from './replica/health.ts';
import type { Replica } from './replica/replica.ts';
import { outageOf } from './replica/replicas.ts';
import { RouterHints } from './replica/router-hints.ts';
import type { Watch } from './replica/watch.ts';
import type { WaitingWork } from './waiting-work.ts';

const progressEveryTokens = 64;
const rejections = 3;

interface DispatchParts {
  readonly options: RemoteEngineOptions & typeof remoteDefaults;
  readonly timers: Timers;
  readonly chance: Random;
  readonly replicas: readonly Replica[];
  readonly awaited: Awaited;
  readonly waiting: WaitingWork;
  readonly health: ReplicaHealth;
  readonly fleet: Fleet;
  readonly watch: Watch;
  readonly affinity: Affinity;
  readonly gauges: GaugeWatch;
}

export class Dispatch {
  readonly #parts: DispatchParts;
  readonly #prefixes = new Prefixes();
  /** Which attempt writes a child now. A sibling that is drawn again has moved to another attempt. */
  readonly #onWire = new WeakMap<Child, Attempt>();
  readonly #stepTime = new StepTime();
  readonly times = { answers: 0, tokens: 0, heldMs: 0, servedMs: 0 };
  readonly #hints: RouterHints;
  /** Call names have a fixed length, since SGLang aborts by prefix, and differ between engines. */
  readonly #engineName: string;
  #calls = 0;
  isClosed = false;

  constructor(parts: DispatchParts) {
    const { options, timers } = parts;
    this.#parts = parts;
    this.#hints = new RouterHints(options.router);
    this.#engineName = hash(options.seed, process.pid, timers.nowMs() * 1000)
      .toString(16)
      .padStart(8, '0');
  }

  get stepMs(): number | undefined {
    return this.#stepTime.ms;
  }

  release(search: string): void {
    this.#hints.release(search);
    this.#prefixes.release(search);
  }

  drop(child: Child): void {
    const attempt = this.#onWire.get(child);
    if (attempt === undefined) this.#parts.awaited.fault(child, this.#cancelled());
    else this.#dropForsaken(attempt);
  }

  pump(replica: Replica): void {
    while (!this.isClosed && replica.mayStart()) this.#start(replica, replica.queue.pop()!);
  }

  pumpAll(): void {
    const { waiting, replicas } = this.#parts;
    for (const replica of waiting.among(replicas)) this.pump(replica);
  }

  #start(replica: Replica, job: Job): void {
    const children = liveChildren(job);
    const places = children.length;
    replica.inFlight += places;
    this.#parts.awaited.tellCustody('taken', job);
    const { prompt } = children[0]!.request;
    if (!replica.dialect.takesTokens || agentTurn(prompt)) return this.#send(replica, job, places, undefined);
    const tokens = this.#prefixes.tokens(children[0]!.request, replica);
    if (!(tokens instanceof Promise)) return this.#send(replica, job, places, tokens);
    tokens.then(
      (known) => this.#send(replica, job, places, known),
      (error: unknown) => {
        replica.inFlight -= places;
        this.#retry(replica, job, faultOf(error));
      },
    );
  }

  #send(replica: Replica, job: Job, places: number, tokenIds: readonly number[] | undefined): void {
    const children = liveChildren(job);
    replica.inFlight -= places - children.length;
    if (children.length === 0) return this.pump(replica);
    const roomTokens = (replica.facts.contextTokens ?? Number.POSITIVE_INFINITY) - (tokenIds?.length ?? 0);
    if (roomTokens < 1) {
      replica.inFlight -= children.length;
      const room = `${tokenIds!.length} tokens leave no room in the ${replica.facts.contextTokens} of ${replica.connection.url}`;
      const reason = fault('too-long', `${room}; serve a longer context`);
      for (const child of children) this.#parts.awaited.fault(child, reason);
      return this.pump(replica);
    }
    for (const run of replica.refused.has('n') ? children.map((child) => [child]) : runsOf(children)) {
      this.#open(replica, { ...job, children: run }, tokenIds, roomTokens);
    }
    this.#parts.watch.arm();
    this.#parts.gauges.arm(replica);
  }

  #open(replica: Replica, job: Job, tokenIds: readonly number[] | undefined, roomTokens: number): void {
    const { awaited, affinity, health, timers } = this.#parts;
    const { connection, facts, refused } = replica;
    const { children, search } = job;
    const isTurn = agentTurn(children[0]!.request.prompt) !== undefined;
    const dialect = isTurn ? turnDialect(replica.dialect) : replica.dialect;
    const call = callFor(children, { dialect, facts, refused, tokenIds, roomTokens, name: this.#nextName() });
    const stepMs = (): number | undefined => this.#stepTime.ms;
    const hints = this.#hints.body(call, this.#stepTime.tokens);
    const { session } = children[0]!.request;
    const headers = { ...this.#hints.headers(search, call, session?.route), ...replica.rankHeaders(search, session) };
    const nowMs = (): number => timers.nowMs();
    const attempt: Attempt = new Attempt(
      { connection, dialect, facts, call, children, headers, hints, nowMs, stepMs },
      {
        head: (received) => {
          if (affinity.has(search)) this.#hints.keepSession(search, received['x-session-token']);
        },
        firstToken: (afterMs) => attempt.sendsTokens && replica.limit.firstToken(afterMs, replica.inFlight, nowMs()),
        token: (child, text, tokens) => {
          // A path in one piece takes longer than a step may; while it grows, the server is at work.
          if (call.whole && tokens % progressEveryTokens === 0)
            awaited.tellCustody('taken', { ...job, children: [child] });
          awaited.token(child, text, tokens);
        },
        step: (child, step, usage) => this.#stepped(replica, job, attempt, child, step, usage),
        done: () => {
          this.#leave(replica, attempt);
          health.succeeded(replica);
          this.pump(replica);
        },
        fail: (reason) => this.#failed(replica, job, attempt, reason),
      },
    );
    replica.attempts.add(attempt);
    for (const child of children) this.#onWire.set(child, attempt);
  }

  #nextName(): string {
    this.#calls += 1;
    return `coppice-${this.#engineName}-${String(this.#calls).padStart(10, '0')}`;
  }

  #stepped(replica: Replica, job: Job, attempt: Attempt, child: Child, step: Step, usage: GenerationUsage): void {
    const wanted = replica.inFlight + replica.queue.sequences;
    replica.limit.answered(attempt.startedMs, step.tokens, wanted, this.#parts.timers.nowMs());
    replica.inFlight -= 1;
    this.#stepTime.observe(attempt, step);
    this.times.answers += 1;
    this.times.tokens += step.tokens;
    this.times.heldMs += attempt.startedMs - job.sinceMs;
    this.times.servedMs += attempt.lastMs - attempt.startedMs;
    const isWanted = step.end === 'eos' || step.text.trim() !== '' || child.request.exact === true;
    if (child.dropped) this.#charge(child, usage);
    else if (isWanted) this.#parts.awaited.step(child, step, usage, attempt.call.tokenIds);
    else this.#blank(replica, job, child);
    this.#dropForsaken(attempt);
    this.pump(replica);
  }

  #failed(replica: Replica, job: Job, attempt: Attempt, reason: Fault): void {
    this.#leave(replica, attempt);
    const left = { ...job, children: this.#writtenBy(attempt) };
    for (const child of left.children) if (child.dropped) this.#charge(child, attempt.usage(child));
    const blamed = blamedFor(reason, attempt.call);
    if (blamed === undefined) this.#retry(replica, left, reason);
    else this.#without(replica, blamed, left);
  }

  #charge(child: Child, usage: GenerationUsage): void {
    this.#parts.awaited.fault(child, this.#cancelled(), usage);
  }

  #cancelled(): Fault {
    const { replicas } = this.#parts;
    const isDown = !replicas.some((each) => each.isUsable);
    return fault('cancelled', `the request was cancelled${isDown ? `; no server was up: ${outageOf(replicas)}` : ''}`);
  }

  #dropForsaken(attempt: Attempt): void {
    const children = this.#writtenBy(attempt);
    if (attempt.running === 0 || children.some(isLive)) return;
    attempt.abort();
    const replica = this.#parts.replicas.find((each) => each.attempts.has(attempt));
    if (replica !== undefined) this.#leave(replica, attempt);
    for (const child of children) this.#charge(child, attempt.usage(child));
  }

  #leave(replica: Replica, attempt: Attempt): void {
    if (replica.attempts.delete(attempt)) replica.inFlight -= attempt.running;
  }

  #writtenBy(attempt: Attempt): Child[] {
    return attempt.children.filter((child) => this.#onWire.get(child) === attempt);
  }

  #forget({ children }: Job): void {
    for (const child of children) this.#onWire.delete(child);
  }

  #retry(replica: Replica, job: Job, reason: Fault): void {
    const { health, options, timers, awaited } = this.#parts;
    if (replica.leavingMs === undefined && health.failed(replica, reason)) this.#takeOut(replica);
    const children = liveChildren(job);
    const attempts = attemptsAfter(job.attempts, reason);
    if (!mayRetry(reason, { ...job, attempts }, options, timers.nowMs())) {
      const message = attempts > 1 ? `${reason.message} (tried ${attempts} times)` : reason.message;
      for (const child of children) awaited.fault(child, { ...reason, message });
    } else if (children.length > 0) {
      for (const child of children) child.streamed = true;
      this.#again(replica, { ...job, children, attempts });
    }
    this.pumpAll();
  }

  #takeOut(replica: Replica): void {
    const { fleet, waiting, watch } = this.#parts;
    fleet.recount();
    waiting.leave(replica);
    watch.probeLater(replica);
  }

  #without(replica: Replica, blamed: Refusable, job: Job): void {
    const { refused, connection } = replica;
    if (!refused.has(blamed)) {
      const reason = refusalText(blamed);
      this.#parts.options.observe?.({ type: 'replica-refuses', url: connection.url, reason });
    }
    refused.add(blamed);
    this.#place(job);
  }

  #blank(replica: Replica, job: Job, child: Child): void {
    child.rejected += 1;
    child.streamed = true;
    if (child.rejected < rejections) this.#place({ ...job, children: [child] });
    else {
      const what = `${replica.connection.url} gave ${rejections} blank steps; change delimiters`;
      this.#parts.awaited.fault(child, fault('bad-step', what));
    }
  }

  #place(job: Job): void {
    this.#forget(job);
    this.#parts.waiting.place(job);
    this.pumpAll();
  }

  #again(replica: Replica, job: Job): void {
    const { replicas, waiting, awaited, timers, chance } = this.#parts;
    this.#forget(job);
    const elsewhere = replicas.some((each) => each !== replica && each.isUsable);
    if (elsewhere || !replica.isUsable) {
      waiting.place(job, replica);
      return;
    }
    awaited.tellCustody('held', job);
    timers.after(retryDelayMs(job.attempts, chance.uniform()), () => {
      if (this.isClosed || liveChildren(job).length === 0) return;
      waiting.place(job);
      this.pumpAll();
    });
  }
}

const smoothing = 0.05;

/** Recent means of a decode step and of an answer. A step is timed between streamed tokens, else over the whole answer. */
class StepTime {
  ms: number | undefined;
  tokens: number | undefined;

  observe({ sendsTokens, longestTokens, firstMs, lastMs, startedMs }: Attempt, { tokens }: Step): void {
    this.tokens = this.tokens === undefined ? tokens : this.tokens + (tokens - this.tokens) * smoothing;
    if (tokens < 2) return;
    const ms = sendsTokens ? (lastMs - (firstMs ?? lastMs)) / (tokens - 1) : (lastMs - startedMs) / longestTokens;
    this.ms = this.ms === undefined ? ms : this.ms + (ms - this.ms) * smoothing;
  }
}
