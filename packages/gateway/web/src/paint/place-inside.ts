// Moves words no further than needed to show them whole inside the picture. Pure.

import type { CanvasSize, Point } from '../tree/camera.ts';

const margin = 8;

/** `left`: share of their width to the left of their point. */
export function placeInside({ x, y }: Point, width: number, left: number, size: CanvasSize): Point {
  const across = Math.max(margin + left, Math.min(size.width - margin - (width - left), x));
  return { x: across, y: Math.max(margin, Math.min(size.height - margin, y)) };
}
