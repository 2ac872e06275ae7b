// Draws one animation frame at a time, as long as something still moves. A page at rest costs nothing.

const longestStepMs = 64;

export class FrameLoop {
  readonly #draw: (elapsedMs: number, clockMs: number) => boolean;
  #handle: number | undefined;
  #lastMs: number | undefined;

  constructor(draw: (elapsedMs: number, clockMs: number) => boolean) {
    this.#draw = draw;
  }

  request(): void {
    this.#handle ??= requestAnimationFrame((nowMs) => {
      this.#handle = undefined;
      const elapsedMs = Math.min(longestStepMs, nowMs - (this.#lastMs ?? nowMs - 16));
      const goesOn = this.#draw(elapsedMs, nowMs);
      this.#lastMs = goesOn ? nowMs : undefined;
      if (goesOn) this.request();
    });
  }

  stop(): void {
    if (this.#handle !== undefined) cancelAnimationFrame(this.#handle);
    this.#handle = undefined;
  }
}
