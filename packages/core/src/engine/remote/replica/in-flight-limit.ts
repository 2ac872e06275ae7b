// The number of sequences that one server may have from us. Fixed if configuration or server name it. Otherwise doubled at every reading of
// the gauges while the limit is felt and nothing waits, cut back on signs of a queue, then raised slowly. Without gauges it is doubled while
// that gives more tokens a second. Answers may take many seconds, so no cut follows another before its effect.

import type { Lane } from '../../engine.ts';
import type { Gauges } from '../dialect/gauges.ts';

/** 1024 is what vLLM runs by default on the largest GPUs. */
const maximum = 1024;
const initial = 32;

const decrease = 0.7;
/** A fuller KV cache is about to throw sequences out. */
const fullKv = 0.9;
const kvDecrease = 0.9;
/** After a cut; doubled at each growth. */
const firstGrowth = 1 / 16;
/** Share of the limit that may wait: requests that came between two decode steps are no queue. */
const smallQueue = 1 / 16;
const settledCalmMs = 10_000;
const primaryShare = 1 / 8;
/** A first token later than this many times the usual, plus the slack, shows a queue. */
const lateFactor = 4;
const lateSlackMs = 500;
const smoothing = 0.05;
/** Between two decreases: the signs of one jam arrive together. */
const calmMs = 1000;
/** Between two readings, while the limit is sought and once it is found. */
const risingReadMs = 250;
const settledReadMs = 2000;
/** Without gauges: answers of a trial over the limit, and the time between failed trials. */
const trialAnswers = 1 / 2;
const trialCalmMs = 30_000;
/** Least gain of a doubling in tokens a second. It is larger for small limits: lengths of few answers differ more. */
const leastGain = (room: number): number => 1.05 + 1 / Math.sqrt(room);

export class InFlightLimit {
  readonly known: boolean;
  #room: number;
  #sharers = 1;
  #growth = 1;
  #isQueue = false;
  /** The last of the gauges. */
  reading: Gauges | undefined;
  /** At the last reading a sequence waited, was thrown out of the KV cache, or was about to be. */
  squeezed = false;
  #usualFirstMs: number | undefined;
  #decreasedMs = Number.NEGATIVE_INFINITY;
  /** Answers that were asked for at this limit, and the limit before while a doubling is on trial. */
  #round = roundFrom(0);
  #before: { readonly room: number; readonly speed: number } | undefined;

  /** `room`: the limit, where it is known. */
  constructor(room: number | undefined, first = initial) {
    this.known = room !== undefined;
    this.#room = Math.min(room ?? first, maximum);
  }

  /** A known limit is divided; a found one is what the others leave. */
  get room(): number {
    const part = this.known ? this.#room / this.#sharers : this.#room;
    return Math.max(1, Math.floor(part));
  }

  divide(sharers: number): void {
    this.#sharers = sharers;
  }

  get settled(): boolean {
    return this.#growth < 1;
  }

  get readMs(): number {
    return this.settled && !this.#isQueue ? settledReadMs : risingReadMs;
  }

  admits(lane: Lane, sequences: number, inFlight: number): boolean {
    const reserved = lane === 'speculative' ? Math.floor(this.room * primaryShare) : 0;
    return inFlight === 0 || inFlight + sequences <= this.room - reserved;
  }

  read(reading: Gauges, inFlight: number, queued: number, nowMs: number): void {
    const { waiting, running = 0, kvUse = 0 } = reading;
    if (waiting === undefined) return;
    const before = this.reading;
    this.reading = reading;
    this.#before = undefined;
    const thrownOut = (reading.preemptions ?? 0) > (before?.preemptions ?? Number.POSITIVE_INFINITY);
    const isFull = kvUse > fullKv;
    this.squeezed = waiting > 0 || thrownOut || isFull;
    if (this.known) return;
    // A queue at one reading may be a burst, and one that gets shorter because more run is being taken in.
    const isJam = this.#isQueue && waiting > this.#room * smallQueue && running <= (before?.running ?? 0);
    this.#isQueue = waiting > this.#room * smallQueue;
    // A server with waiting requests runs all it can; if it runs all of ours, others use it too.
    if (isJam && running > 0 && running < this.#room) this.#cut(running, 0, nowMs);
    else if (isJam) this.#cut(this.#room * decrease, inFlight, nowMs);
    else if (thrownOut || isFull) this.#cut(inFlight * (thrownOut ? decrease : kvDecrease), inFlight, nowMs);
    // The limit grows only while it holds something back.
    else if (!this.#isQueue && inFlight + queued >= this.room)
      this.#grow(kvUse > 0 ? (inFlight * fullKv) / kvUse : maximum, nowMs);
  }

  /** Called when a stream's first token comes. */
  firstToken(afterMs: number, inFlight: number, nowMs: number): void {
    if (this.reading !== undefined || this.#before !== undefined) return;
    const usual = this.#usualFirstMs;
    const isLate = usual !== undefined && afterMs > usual * lateFactor && afterMs > usual + lateSlackMs;
    if (isLate && !this.known) this.#cut(this.#room * decrease, inFlight, nowMs);
    this.#usualFirstMs = usual === undefined ? afterMs : usual + (afterMs - usual) * smoothing;
  }

  /** `wanted`: sequences in flight and waiting for room. */
  answered(beganMs: number, tokens: number, wanted: number, nowMs: number): void {
    const round = this.#round;
    if (this.known || this.reading !== undefined || wanted < this.room || beganMs < round.sinceMs) return;
    round.answers += 1;
    if (round.answers <= 0) return;
    round.tokens += tokens;
    round.ms += nowMs - beganMs;
    if (round.answers < this.room * trialAnswers) return;
    const [before, speed] = [this.#before, (this.room * round.tokens) / Math.max(1, round.ms)];
    this.#before = undefined;
    this.#round = roundFrom(nowMs);
    if (before !== undefined && speed < before.speed * leastGain(this.room)) this.#cut(before.room, 0, nowMs);
    else if (this.#room < maximum && nowMs - this.#decreasedMs >= trialCalmMs) {
      this.#before = { room: this.#room, speed };
      this.#room = Math.min(maximum, this.#room * 2);
      this.#round = roundFrom(nowMs, this.#room - this.#before.room);
    }
  }

  /** A known limit stands: others may be using the server too. */
  congested(nowMs: number): void {
    if (!this.known) this.#cut(Math.min(this.#room * decrease, this.#before?.room ?? maximum), 0, nowMs);
    this.#before = undefined;
  }

  /** Grows up to `most`, the limit at which the KV cache would be full. */
  #grow(most: number, nowMs: number): void {
    if (this.settled && nowMs - this.#decreasedMs < settledCalmMs) return;
    this.#room = Math.min(maximum, Math.max(this.#room, Math.min(most, this.#room * (1 + this.#growth))));
    this.#growth = Math.min(1, this.#growth * 2);
  }

  /** Cuts once for one overload: requests beyond the limit were sent before the last cut. */
  #cut(room: number, inFlight: number, nowMs: number): void {
    this.#growth = firstGrowth;
    if (inFlight > this.room || nowMs - this.#decreasedMs < calmMs) return;
    this.#decreasedMs = nowMs;
    this.#round = roundFrom(nowMs);
    this.#room = Math.max(1, Math.min(this.#room, room));
  }
}

/** Leaves out the requests that are sent together when the limit grows: they wait less than later ones. */
const roundFrom = (sinceMs: number, leftOut = 0) => ({ sinceMs, answers: -leftOut, tokens: 0, ms: 0 });
