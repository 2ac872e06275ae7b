// Keeps a canvas as sharp as the screen, as large as its box and in the colours of the page. Redraws it when one of these changes or its
// owner asks, until the visit ends.

import { type Palette, readPalette } from '../look/palette.ts';
import { onTheme } from '../look/theme.ts';
import type { CanvasSize } from '../tree/camera.ts';
import { FrameLoop } from './frame-loop.ts';

const mostPixelsPerPoint = 2;

export interface Frame {
  readonly ctx: CanvasRenderingContext2D;
  readonly size: CanvasSize;
  readonly palette: Palette;
  /** Time since the last frame; infinite if the reader wants no motion. */
  readonly elapsedMs: number;
  readonly clockMs: number;
}

export interface DrawingOptions {
  readonly canvas: HTMLCanvasElement;
  readonly signal: AbortSignal;
  /** True asks for the next frame. */
  readonly draw: (frame: Frame) => boolean;
  readonly onResize?: () => void;
}

export class Drawing {
  readonly #options: DrawingOptions;
  readonly #ctx: CanvasRenderingContext2D;
  readonly #loop: FrameLoop;
  #size: CanvasSize = { width: 1, height: 1 };
  #palette = readPalette();

  constructor(options: DrawingOptions) {
    const { canvas, signal } = options;
    const ctx = canvas.getContext('2d');
    if (ctx === null) throw new Error('this browser gives no 2d canvas');
    this.#options = options;
    this.#ctx = ctx;
    this.#loop = new FrameLoop((elapsedMs, clockMs) => {
      const common = { ctx, size: this.#size, palette: this.#palette };
      const still = wantsNoMotion();
      return options.draw({
        ...common,
        elapsedMs: still ? Number.POSITIVE_INFINITY : elapsedMs,
        clockMs: still ? 0 : clockMs,
      });
    });
    const observer = new ResizeObserver(() => this.#resize());
    observer.observe(canvas);
    onTheme(() => {
      this.#palette = readPalette();
      this.request();
    }, signal);
    signal.addEventListener('abort', () => {
      observer.disconnect();
      this.#loop.stop();
    });
  }

  get size(): CanvasSize {
    return this.#size;
  }

  request(): void {
    this.#loop.request();
  }

  #resize(): void {
    const { canvas, onResize } = this.#options;
    const { clientWidth: width, clientHeight: height } = canvas;
    if (width === 0 || height === 0) return;
    const ratio = Math.min(mostPixelsPerPoint, devicePixelRatio);
    this.#size = { width, height };
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    this.#ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
    onResize?.();
    this.request();
  }
}

function wantsNoMotion(): boolean {
  return matchMedia('(prefers-reduced-motion: reduce)').matches;
}
