// How many sequences one server may have from us at a time. Fixed where the server says its limit; otherwise found by
// additive increase while all is well and multiplicative decrease on signs of a queue: a refusal, a waiting gauge above
// zero, or first tokens that take several times their usual time. Speculative work may not use the last part of the room.

import type { Lane } from '../../engine.ts';

export interface LimitOptions {
  /** The server's own limit, where it is known. */
  readonly known?: number;
  /** Where the search for an unknown limit begins: well below what servers of this kind run by default. */
  readonly initial: number;
  readonly minimum: number;
  readonly maximum: number;
}

export const defaultLimits: LimitOptions = { initial: 32, minimum: 1, maximum: 1024 };

/** What is left after a sign of congestion. */
const decrease = 0.7;
/** The part of the room that speculative work leaves to primary work. */
const primaryShare = 1 / 8;
/** First tokens later than this many times the usual, and by at least the slack, are a queue. */
const lateFactor = 4;
const lateSlackMs = 500;
/** Weight of a new observation in the usual time to the first token. */
const smoothing = 0.05;
/** One decrease per so many milliseconds: the signs of one jam arrive together. */
const calmMs = 1000;

export class InFlightLimit {
  readonly #options: LimitOptions;
  #room: number;
  #usualFirstMs: number | undefined;
  #decreasedMs = Number.NEGATIVE_INFINITY;

  constructor(options: LimitOptions) {
    this.#options = options;
    this.#room = Math.min(options.known ?? options.initial, options.maximum);
  }

  get room(): number {
    return Math.max(this.#options.minimum, Math.floor(this.#room));
  }

  get known(): boolean {
    return this.#options.known !== undefined;
  }

  /** Whether `sequences` more may start beside those in flight. A group larger than the room goes alone. */
  admits(lane: Lane, sequences: number, inFlight: number): boolean {
    const reserved = lane === 'speculative' ? Math.floor(this.room * primaryShare) : 0;
    return inFlight === 0 || inFlight + sequences <= this.room - reserved;
  }

  /** A sequence got its first token. `inFlight` counts it. */
  firstToken(afterMs: number, inFlight: number, nowMs: number): void {
    const usual = this.#usualFirstMs;
    if (usual !== undefined && afterMs > usual * lateFactor && afterMs > usual + lateSlackMs) this.congested(nowMs);
    this.#usualFirstMs = usual === undefined ? afterMs : usual + (afterMs - usual) * smoothing;
    // Only a limit that is being felt says anything about more.
    if (!this.known && inFlight >= this.room) this.#room = Math.min(this.#options.maximum, this.#room + 1 / this.#room);
  }

  /** The server refused, or its own queue is not empty. A known limit stands: others may be using the server too. */
  congested(nowMs: number): void {
    if (nowMs - this.#decreasedMs < calmMs) return;
    this.#decreasedMs = nowMs;
    if (!this.known) this.#room = Math.max(this.#options.minimum, this.#room * decrease);
  }
}
