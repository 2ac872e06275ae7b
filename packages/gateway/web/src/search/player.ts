// Holds the reader's place in a log: following the end of a live search, standing still, or playing at some speed. Positions count events;
// while playing, the events' own times decide when the next one is due. Keeps no clock.

import type { LoggedEvent } from '@coppice/core/log';

const wantedLengthMs = { least: 5000, most: 15_000 };
export const speeds = [0.1, 0.25, 0.5, 1, 2, 4, 16, 64] as const;

export class Player {
  readonly #log: readonly LoggedEvent[];
  #position = 0;
  #playing = false;
  #following = true;
  #atMs = 0;
  speed: number | undefined;

  constructor(log: readonly LoggedEvent[]) {
    this.#log = log;
  }

  get position(): number {
    return this.#following ? this.#log.length : Math.min(this.#position, this.#log.length);
  }

  get isPlaying(): boolean {
    return this.#playing;
  }

  get isAtEnd(): boolean {
    return this.position === this.#log.length;
  }

  get startMs(): number {
    return this.#log[0]?.atMs ?? 0;
  }

  get endMs(): number {
    return this.#log.at(-1)?.atMs ?? 0;
  }

  /** The shown time: that of the last shown event, or a moment after it while playing. */
  get atMs(): number {
    if (this.#playing) return this.#atMs;
    return this.#log[this.position - 1]?.atMs ?? this.startMs;
  }

  /** The reader's speed, or else one that plays the whole log in a comfortable time. */
  get playedSpeed(): number {
    if (this.speed !== undefined) return this.speed;
    const lengthMs = this.endMs - this.startMs;
    const fits = speeds.filter((each) => lengthMs / each <= wantedLengthMs.most);
    return fits.findLast((each) => each <= 1 && lengthMs / each >= wantedLengthMs.least) ?? fits[0] ?? speeds.at(-1)!;
  }

  seek(position: number): void {
    this.#playing = false;
    this.#position = Math.max(0, Math.min(position, this.#log.length));
    this.#following = this.#position === this.#log.length;
  }

  seekTime(atMs: number): void {
    this.seek(this.#countUntil(atMs));
  }

  toggle(): void {
    if (this.#playing) return this.seek(this.position);
    if (this.isAtEnd) this.#position = 0;
    else this.#position = this.position;
    this.#following = false;
    this.#atMs = this.#log[Math.max(0, this.#position - 1)]?.atMs ?? 0;
    this.#playing = this.#log.length > 0;
  }

  /** Moves on by `elapsedMs`; true while there is more to play. */
  advance(elapsedMs: number): boolean {
    if (!this.#playing) return false;
    this.#atMs = Math.min(this.endMs, this.#atMs + elapsedMs * this.playedSpeed);
    this.#position = Math.max(this.#position, this.#countUntil(this.#atMs));
    if (this.#position >= this.#log.length) {
      this.#playing = false;
      this.#following = true;
    }
    return this.#playing;
  }

  /** Counts the events until this time, by binary search: times never fall. */
  #countUntil(atMs: number): number {
    let low = 0;
    let high = this.#log.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#log[middle]!.atMs <= atMs) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
