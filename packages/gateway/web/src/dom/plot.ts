// Makes paths for the page's charts. Values hold until they change, so lines are steps.

import type { Point } from '../tree/camera.ts';

export function stepLine(points: readonly Point[], endX: number): Path2D {
  const path = new Path2D();
  const [first] = points;
  if (first === undefined) return path;
  path.moveTo(first.x, first.y);
  let { y } = first;
  for (const point of points) {
    path.lineTo(point.x, y);
    path.lineTo(point.x, point.y);
    y = point.y;
  }
  path.lineTo(endX, y);
  return path;
}

export function stepArea(points: readonly Point[], endX: number, bottom: number): Path2D {
  const path = stepLine(points, endX);
  const [first] = points;
  if (first === undefined) return path;
  path.lineTo(endX, bottom);
  path.lineTo(first.x, bottom);
  path.closePath();
  return path;
}

/** Round values from 0 up to `most`, at most `count` of them after the first. */
export function niceTicks(most: number, count: number): number[] {
  const rough = most / Math.max(1, count);
  const power = 10 ** Math.floor(Math.log10(rough));
  const unit = [1, 2, 5, 10].find((each) => each * power >= rough)! * power;
  return Array.from({ length: Math.floor(most / unit) + 1 }, (_, at) => at * unit);
}
