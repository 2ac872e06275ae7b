// Searches and guests that wait for one budget, their turns, and how fast it is served. Facts alone; the scheduler decides.

import type { RunningSearch, Scheduler, Snapshot, WaitingSearch } from '../../scheduler/scheduler.ts';
import { expectedWaitMs, missingSeats, type Pace } from '../../scheduler/turns/forecast.ts';
import type { OrderRule, QueueStanding } from '../../scheduler/turns/order.ts';
import { type LineFacts, TurnLine } from '../../scheduler/turns/weighted-fair-queueing.ts';
import type { Leases } from '../budget/leases.ts';
import { type WorkEstimates, WorkMeter } from '../budget/work-meter.ts';
import type { Search } from '../search/search.ts';
import { ChangeMeter } from './change-meter.ts';
import { type Guest, Guests } from './guests.ts';
import { Seats } from './seats.ts';

export interface Forecast {
  readonly fits: boolean;
  readonly waitMs?: number;
  readonly pace?: Pace;
}

/** A session's part of the line, in searches of usual length: twice the turns of an agent's usual session. */
const sessionTurns = 20;

export class Queue {
  readonly #line = new TurnLine();
  /** The idle class: no search waits for it, and nothing is forecast from it. */
  readonly #idleLine = new TurnLine();
  readonly #seats: Seats;
  readonly #guests: Guests;
  readonly #meter = new PaceMeter();
  /** The same, guests among them. */
  readonly #turns = new PaceMeter();
  readonly #work: WorkEstimates;
  readonly #changes = new ChangeMeter();
  readonly #order: OrderRule | undefined;
  /** Servers are told turns as seconds since this origin. */
  #originSeconds: number | undefined;
  readonly #waiting = new Map<string, Search>();
  readonly #onChange: () => void;

  constructor(
    leases: Leases,
    { order }: Pick<Scheduler, 'order'>,
    onChange: () => void,
    work: WorkEstimates = new WorkMeter(),
  ) {
    this.#work = work;
    this.#onChange = onChange;
    this.#order = order;
    this.#seats = new Seats(leases.budget);
    this.#guests = new Guests(leases);
  }

  get searches(): ReadonlyMap<string, Search> {
    return this.#waiting;
  }

  get budget(): number {
    return this.#seats.budget(this.#guests.seats);
  }

  /** The part of the budget that is this process's, where others use the same servers. */
  allow(strands: number): void {
    this.#seats.allow(strands);
    this.#onChange();
  }

  get pace(): Pace | undefined {
    return this.#meter.pace;
  }

  take(id: string, facts: LineFacts): number {
    return this.#lineOf(facts).take(id, this.#estimated(facts));
  }

  turnOf(id: string, facts: LineFacts): number {
    return this.#lineOf(facts).turn(id) ?? this.take(id, facts);
  }

  leave(id: string): void {
    this.#line.leave(id);
    this.#idleLine.leave(id);
  }

  #estimated(facts: LineFacts): LineFacts {
    const { kind, session, workSeconds } = facts;
    const partSeconds = (sessionTurns * (this.#turns.pace?.meanMs ?? Number.POSITIVE_INFINITY)) / 1000;
    return {
      ...facts,
      workSeconds: this.#order?.readsWork && kind !== undefined ? this.#work.estimate(kind) : workSeconds,
      session: session && { ...session, overSeconds: Math.max(0, session.seconds - partSeconds) },
    };
  }

  #lineOf({ idle }: LineFacts): TurnLine {
    return idle === true ? this.#idleLine : this.#line;
  }

  forecast(facts: LineFacts): Forecast {
    const held = this.#seats.held + this.#guests.seats;
    const ahead = held + this.#line.seatsBefore(this.#line.turnFor(this.#estimated(facts)));
    const { pace, budget } = this;
    const fits = missingSeats(held + this.#line.seats, facts.seats, budget) === 0;
    if (pace === undefined) return { fits };
    return { fits, pace, waitMs: expectedWaitMs(ahead, facts.seats, budget, pace) };
  }

  /** Without boosts and idle strands, which take whatever is left. */
  get wantedStrands(): number {
    return this.#seats.held + this.#guests.seats + this.#line.seats;
  }

  /** Tokens of a path of searches of this kind, to two places; undefined before one has ended. */
  usualPath(kind: string): number | undefined {
    const tokens = this.#work.usualPath?.(kind);
    return tokens ? Number(tokens.toPrecision(2)) : undefined;
  }

  ageMs(nowMs: number): number {
    for (const { isIdle, arrivalMs } of this.#waiting.values()) if (!isIdle) return nowMs - arrivalMs;
    return 0;
  }

  /** Wait for one strand at the end of the line; 0 while nothing has been measured. */
  get backWaitMs(): number {
    return this.pace === undefined ? 0 : expectedWaitMs(this.wantedStrands, 1, this.budget, this.pace);
  }

  snapshot(nowMs: number, running: Iterable<Search>, speculates: boolean): Snapshot {
    const waiting: WaitingSearch[] = [];
    for (const search of this.#waiting.values()) waiting.push(search.asWaiting(this.#standing(search, nowMs)));
    waiting.push(...this.#guests.asWaiting());
    const seen: RunningSearch[] = [];
    let [kind, changing]: [string?, number?] = [];
    for (const search of running) {
      if (search.kind !== kind) [kind, changing] = [search.kind, this.#changes.share(search.kind)];
      const own = search.asRunning(this.#standing(search, nowMs), changing, speculates);
      this.#seats.need(search.id, Math.min(own.rolloutsLeft, own.naturalWidth));
      seen.push(own);
    }
    seen.push(...this.#guests.asRunning());
    return { nowMs, budget: this.budget, waiting, running: seen, pace: this.pace };
  }

  #standing(search: Search, nowMs: number): QueueStanding | undefined {
    if (this.#order?.urgency === undefined) return undefined;
    this.#originSeconds ??= nowMs / 1000;
    const { turn, arrivalMs, request, isIdle } = search;
    return {
      place: turn - this.#originSeconds,
      ageSeconds: (nowMs - arrivalMs) / 1000,
      priority: request.priority,
      workLeft: this.#order.readsWork ? this.#work.left(search.kind, search.done(), search.id) : undefined,
      idle: isIdle,
    };
  }

  add(search: Search): void {
    this.#waiting.set(search.id, search);
  }

  serve(search: Search): void {
    this.#waiting.delete(search.id);
    (search.isIdle ? this.#idleLine : this.#line).serve(search.id);
    if (!search.isIdle) this.#seats.take(search.id, search.naturalWidth);
  }

  remove(search: Search, wasRunning: boolean, servedMs: number | undefined): void {
    this.#waiting.delete(search.id);
    this.leave(search.id);
    this.#seats.give(search.id);
    // The time an idle search was parked says nothing about the work.
    if (!wasRunning || servedMs === undefined || search.isIdle) return;
    this.#meter.ended(servedMs);
    this.#turns.ended(servedMs);
    const done = search.done();
    this.#work.ended(search.kind, { ...done, seconds: servedMs / 1000 });
    this.#changes.ended(search.kind, done.rollouts, search.fold.changes);
  }

  enter(guest: Guest): void {
    this.#guests.enter(guest);
    this.#onChange();
  }

  serveGuest(id: string): boolean {
    const guest = this.#guests.waiting(id);
    if (guest === undefined) return false;
    this.#line.serve(id);
    this.#guests.admit(id);
    return true;
  }

  /** `servedMs`: how long it held its strand. */
  dismiss(id: string, servedMs?: number): void {
    this.leave(id);
    if (servedMs !== undefined) this.#turns.ended(servedMs);
    if (this.#guests.leave(id)) this.#onChange();
  }
}

/** Enough for a steady median, few enough to follow a change of load within a minute or so. */
const remembered = 64;

/** The time that the last searches held their strands, for forecasts. */
class PaceMeter {
  readonly #servicesMs: number[] = [];
  #next = 0;
  #pace: Pace | undefined;

  /** From admission to end; the caller leaves out cancelled and failed searches. */
  ended(serviceMs: number): void {
    this.#servicesMs[this.#next] = serviceMs;
    this.#next = (this.#next + 1) % remembered;
    this.#pace = undefined;
  }

  get pace(): Pace | undefined {
    if (this.#servicesMs.length === 0) return undefined;
    this.#pace ??= summary(this.#servicesMs);
    return this.#pace;
  }
}

function summary(servicesMs: readonly number[]): Pace {
  const sorted = [...servicesMs].sort((a, b) => a - b);
  const total = sorted.reduce((sum, each) => sum + each, 0);
  return { meanMs: total / sorted.length, medianMs: sorted[Math.floor(sorted.length / 2)]! };
}
