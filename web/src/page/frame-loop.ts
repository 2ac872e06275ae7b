// Draws when there is something to draw: one animation frame at a time, going on while the last one says that something
// still moves. A page at rest costs nothing. Readers who want no motion get every change at once.

const longestStepMs = 64;

export class FrameLoop {
  readonly #draw: (elapsedMs: number, clockMs: number) => boolean;
  #handle: number | undefined;
  #lastMs: number | undefined;

  /** `draw` gets the time since the last frame (infinite where there is to be no motion) and says whether to go on. */
  constructor(draw: (elapsedMs: number, clockMs: number) => boolean) {
    this.#draw = draw;
  }

  request(): void {
    this.#handle ??= requestAnimationFrame((nowMs) => {
      this.#handle = undefined;
      const still = wantsNoMotion();
      const elapsedMs = still
        ? Number.POSITIVE_INFINITY
        : Math.min(longestStepMs, nowMs - (this.#lastMs ?? nowMs - 16));
      const goesOn = this.#draw(elapsedMs, still ? 0 : nowMs) && !still;
      this.#lastMs = goesOn ? nowMs : undefined;
      if (goesOn) this.request();
    });
  }

  stop(): void {
    if (this.#handle !== undefined) cancelAnimationFrame(this.#handle);
    this.#handle = undefined;
  }
}

export function wantsNoMotion(): boolean {
  return matchMedia('(prefers-reduced-motion: reduce)').matches;
}
