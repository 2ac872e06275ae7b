// How many sequences one server may have from us at a time. Fixed where configuration or server name it. Otherwise found:
// doubled at every reading of the server's gauges while the limit is felt and nothing waits there, cut back on signs of a
// queue, then raised slowly. A server without gauges is judged by its first tokens: one more per round of full use, less
// when they take several times their usual time. Speculative work may not use the last part of the room.

import type { Lane } from '../../engine.ts';
import type { Gauges } from '../dialect/gauges.ts';

export interface LimitOptions {
  readonly known?: number;
  /** Where the search for an unknown limit begins: well below what servers of this kind run by default. */
  readonly initial: number;
  readonly minimum: number;
  readonly maximum: number;
}

/** 1024 is what vLLM runs by default on the largest GPUs. */
export const defaultLimits: LimitOptions = { initial: 32, minimum: 1, maximum: 1024 };

const decrease = 0.7;
/** A KV cache fuller than this is about to throw sequences out. */
const fullKv = 0.9;
/** What is left of the sequences in flight when the KV cache is that full. */
const kvDecrease = 0.9;
/** The part of the room that a settled limit grows by, per reading without a sign. */
const settledGrowth = 1 / 16;
/** A settled limit grows again after so long without a sign. */
const settledCalmMs = 10_000;
/** The part of the room that speculative work leaves to primary work. */
const primaryShare = 1 / 8;
/** First tokens later than this many times the usual, and by at least the slack, are a queue. */
const lateFactor = 4;
const lateSlackMs = 500;
const smoothing = 0.05;
/** One decrease per so many milliseconds: the signs of one jam arrive together. */
const calmMs = 1000;
/** Between two readings of the gauges: while the limit is being found, and once it is. */
const risingReadMs = 250;
const settledReadMs = 2000;

export class InFlightLimit {
  readonly #options: LimitOptions;
  #room: number;
  #sharers = 1;
  #rising = true;
  /** Readings in a row that saw requests wait: a single one may be a burst that is gone again. */
  #waitingReads = 0;
  #preemptions: number | undefined;
  #squeezed = false;
  #gauged = false;
  #usualFirstMs: number | undefined;
  #decreasedMs = Number.NEGATIVE_INFINITY;

  constructor(options: LimitOptions) {
    this.#options = options;
    this.#room = Math.min(options.known ?? options.initial, options.maximum);
  }

  /** A limit that the server has is divided; one that is found is what the others leave. */
  get room(): number {
    const part = this.known ? this.#room / this.#sharers : this.#room;
    return Math.max(this.#options.minimum, Math.floor(part));
  }

  divide(sharers: number): void {
    this.#sharers = sharers;
  }

  /** Whether it is where the server's signs left it, and no longer doubles. */
  get settled(): boolean {
    return !this.#rising;
  }

  get known(): boolean {
    return this.#options.known !== undefined;
  }

  /** At the last reading a sequence waited there, had been thrown out of the KV cache, or was about to be. */
  get squeezed(): boolean {
    return this.#squeezed;
  }

  get readMs(): number {
    return this.#rising || this.#waitingReads > 0 ? risingReadMs : settledReadMs;
  }

  /** Whether `sequences` more may start beside those in flight. A group larger than the room goes alone. */
  admits(lane: Lane, sequences: number, inFlight: number): boolean {
    const reserved = lane === 'speculative' ? Math.floor(this.room * primaryShare) : 0;
    return inFlight === 0 || inFlight + sequences <= this.room - reserved;
  }

  /** The gauges were read while `inFlight` sequences of ours were there and `queued` more waited for room here. */
  read(reading: Gauges, inFlight: number, queued: number, nowMs: number): void {
    if (reading.waiting === undefined) return;
    this.#gauged = true;
    this.#waitingReads = reading.waiting > 0 ? this.#waitingReads + 1 : 0;
    const thrownOut = this.#thrownOut(reading.preemptions);
    const isFull = (reading.kvUse ?? 0) > fullKv;
    this.#squeezed = reading.waiting > 0 || thrownOut || isFull;
    if (this.known) return;
    if (this.#waitingReads >= 2) this.#cut(this.#capacity(reading), nowMs);
    else if (thrownOut) this.#cut(Math.min(this.#room, inFlight) * decrease, nowMs);
    else if (isFull) this.#cut(Math.min(this.#room, inFlight) * kvDecrease, nowMs);
    // Only a limit that is being felt says anything about more.
    else if (reading.waiting === 0 && inFlight + queued >= this.room) this.#grow(nowMs);
  }

  /** A sequence got its first token. `inFlight` counts it. */
  firstToken(afterMs: number, inFlight: number, nowMs: number): void {
    if (this.#gauged) return;
    const usual = this.#usualFirstMs;
    if (usual !== undefined && afterMs > usual * lateFactor && afterMs > usual + lateSlackMs) this.congested(nowMs);
    this.#usualFirstMs = usual === undefined ? afterMs : usual + (afterMs - usual) * smoothing;
    if (!this.known && inFlight >= this.room) this.#room = Math.min(this.#options.maximum, this.#room + 1 / this.#room);
  }

  /** The server refused. A known limit stands: others may be using the server too. */
  congested(nowMs: number): void {
    if (!this.known) this.#cut(this.#room * decrease, nowMs);
  }

  /** What the server runs while requests wait is what it can run; where it runs all of ours, others are there too. */
  #capacity({ running = 0 }: Gauges): number {
    return running > 0 && running < this.#room ? running : this.#room * decrease;
  }

  #thrownOut(preemptions: number | undefined): boolean {
    const before = this.#preemptions;
    this.#preemptions = preemptions;
    return before !== undefined && preemptions !== undefined && preemptions > before;
  }

  #grow(nowMs: number): void {
    if (!this.#rising && nowMs - this.#decreasedMs < settledCalmMs) return;
    const grown = this.#rising ? this.#room * 2 : this.#room + Math.max(1, this.#room * settledGrowth);
    this.#room = Math.min(this.#options.maximum, grown);
  }

  #cut(room: number, nowMs: number): void {
    this.#rising = false;
    if (nowMs - this.#decreasedMs < calmMs) return;
    this.#decreasedMs = nowMs;
    this.#room = Math.max(this.#options.minimum, Math.min(this.#room, room));
  }
}
