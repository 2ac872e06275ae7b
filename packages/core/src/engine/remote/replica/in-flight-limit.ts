// The number of sequences that one server may have from us. Fixed if configuration or server name it. Otherwise doubled at every reading of
// the gauges while the limit is felt and nothing waits, cut back on signs of a queue, then raised slowly. Without gauges late first tokens
// are the sign.

import type { Lane } from '../../engine.ts';
import type { Gauges } from '../dialect/gauges.ts';

/** 1024 is what vLLM runs by default on the largest GPUs. */
const maximum = 1024;
const initial = 32;

const decrease = 0.7;
/** A fuller KV cache is about to throw sequences out. */
const fullKv = 0.9;
const kvDecrease = 0.9;
const settledGrowth = 1 / 16;
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

export class InFlightLimit {
  readonly known: boolean;
  #room: number;
  #sharers = 1;
  #rising = true;
  /** In a row: a single one may be a burst. */
  #waitingReads = 0;
  #preemptions: number | undefined;
  /** At the last reading a sequence waited, was thrown out of the KV cache, or was about to be. */
  squeezed = false;
  #gauged = false;
  #usualFirstMs: number | undefined;
  #decreasedMs = Number.NEGATIVE_INFINITY;

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
    return !this.#rising;
  }

  get readMs(): number {
    return this.#rising || this.#waitingReads > 0 ? risingReadMs : settledReadMs;
  }

  admits(lane: Lane, sequences: number, inFlight: number): boolean {
    const reserved = lane === 'speculative' ? Math.floor(this.room * primaryShare) : 0;
    return inFlight === 0 || inFlight + sequences <= this.room - reserved;
  }

  read(reading: Gauges, inFlight: number, queued: number, nowMs: number): void {
    if (reading.waiting === undefined) return;
    this.#gauged = true;
    this.#waitingReads = reading.waiting > 0 ? this.#waitingReads + 1 : 0;
    const thrownOut = this.#thrownOut(reading.preemptions);
    const isFull = (reading.kvUse ?? 0) > fullKv;
    this.squeezed = reading.waiting > 0 || thrownOut || isFull;
    if (this.known) return;
    if (this.#waitingReads >= 2) this.#cut(this.#capacity(reading), nowMs);
    else if (thrownOut) this.#cut(Math.min(this.#room, inFlight) * decrease, nowMs);
    else if (isFull) this.#cut(Math.min(this.#room, inFlight) * kvDecrease, nowMs);
    // Only a limit that is felt says anything about more.
    else if (reading.waiting === 0 && inFlight + queued >= this.room) this.#grow(nowMs);
  }

  firstToken(afterMs: number, inFlight: number, nowMs: number): void {
    if (this.#gauged) return;
    const usual = this.#usualFirstMs;
    if (usual !== undefined && afterMs > usual * lateFactor && afterMs > usual + lateSlackMs) this.congested(nowMs);
    this.#usualFirstMs = usual === undefined ? afterMs : usual + (afterMs - usual) * smoothing;
    if (!this.known && inFlight >= this.room) this.#room = Math.min(maximum, this.#room + 1 / this.#room);
  }

  /** A known limit stands: others may be using the server too. */
  congested(nowMs: number): void {
    if (!this.known) this.#cut(this.#room * decrease, nowMs);
  }

  /** A server with waiting requests runs all it can; if it runs all of ours, others use it too. */
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
    this.#room = Math.min(maximum, grown);
  }

  #cut(room: number, nowMs: number): void {
    this.#rising = false;
    if (nowMs - this.#decreasedMs < calmMs) return;
    this.#decreasedMs = nowMs;
    this.#room = Math.max(1, Math.min(this.#room, room));
  }
}
