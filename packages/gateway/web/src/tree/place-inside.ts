// Where words of the picture are whole, as near to their point as its edges allow. Pure.

import type { CanvasSize, Point } from './camera.ts';

const margin = 8;

/** `left`: how far they reach to the left of their point, of their whole width. */
export function placeInside({ x, y }: Point, width: number, left: number, size: CanvasSize): Point {
  const across = Math.max(margin + left, Math.min(size.width - margin - (width - left), x));
  return { x: across, y: Math.max(margin, Math.min(size.height - margin, y)) };
}
