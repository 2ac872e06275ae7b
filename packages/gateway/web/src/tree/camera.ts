// Maps layout units to pixels. Fits the whole tree, root at the bottom, each axis with its own scale, until the reader zooms or moves it.
// Approaches changes smoothly, so that a growing tree does not jump. Pure.

import { approach } from './approach.ts';
import type { Extent } from './layout.ts';

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface CanvasSize {
  readonly width: number;
  readonly height: number;
}

const widestSpacing = 74;
const tallestLevel = 92;
const margin = { left: 44, right: 30, top: 40, bottom: 34 };
const zoomBounds = { least: 0.5, most: 80 };

interface Fit {
  readonly scaleX: number;
  readonly scaleY: number;
  readonly x: number;
  readonly y: number;
}

export class Camera {
  #fit: Fit | undefined;
  #target: Fit = { scaleX: widestSpacing, scaleY: tallestLevel, x: 0, y: 0 };
  #zoom = 1;
  #move: Point = { x: 0, y: 0 };

  /** Pixels between neighbours on one level. */
  get spacing(): number {
    return (this.#fit ?? this.#target).scaleX * this.#zoom;
  }

  get levelHeight(): number {
    return (this.#fit ?? this.#target).scaleY * this.#zoom;
  }

  get isMoved(): boolean {
    return this.#zoom !== 1 || this.#move.x !== 0 || this.#move.y !== 0;
  }

  aimAt({ minX, maxX, levels }: Extent, { width, height }: CanvasSize): void {
    const roomX = Math.max(40, width - margin.left - margin.right);
    const roomY = Math.max(40, height - margin.top - margin.bottom);
    const scaleX = Math.min(widestSpacing, roomX / Math.max(1, maxX - minX));
    const scaleY = Math.min(tallestLevel, roomY / Math.max(1, levels - 1));
    const usedY = scaleY * (levels - 1);
    this.#target = {
      scaleX,
      scaleY,
      x: margin.left + roomX / 2 - ((minX + maxX) / 2) * scaleX,
      y: height - margin.bottom - Math.max(0, (roomY - usedY) / 2),
    };
  }

  /** True while it still moves. */
  advance(elapsedMs: number): boolean {
    const from = this.#fit;
    const to = this.#target;
    if (from === undefined || elapsedMs === Number.POSITIVE_INFINITY) {
      this.#fit = to;
      return false;
    }
    const next = {
      scaleX: approach(from.scaleX, to.scaleX, elapsedMs),
      scaleY: approach(from.scaleY, to.scaleY, elapsedMs),
      x: approach(from.x, to.x, elapsedMs),
      y: approach(from.y, to.y, elapsedMs),
    };
    this.#fit = next;
    return Math.abs(next.x - to.x) + Math.abs(next.y - to.y) + Math.abs(next.scaleX - to.scaleX) > 0.2;
  }

  place(x: number, depth: number): Point {
    const fit = this.#fit ?? this.#target;
    return {
      x: (fit.x + x * fit.scaleX) * this.#zoom + this.#move.x,
      y: (fit.y - depth * fit.scaleY) * this.#zoom + this.#move.y,
    };
  }

  /** Keeps the point under `at` in place. */
  zoomBy(factor: number, at: Point): void {
    const zoom = Math.min(zoomBounds.most, Math.max(zoomBounds.least, this.#zoom * factor));
    const by = zoom / this.#zoom;
    this.#move = { x: at.x - (at.x - this.#move.x) * by, y: at.y - (at.y - this.#move.y) * by };
    this.#zoom = zoom;
  }

  moveBy(x: number, y: number): void {
    this.#move = { x: this.#move.x + x, y: this.#move.y + y };
  }

  reset(): void {
    this.#zoom = 1;
    this.#move = { x: 0, y: 0 };
  }
}
