// Paints the branches: thicker the more completed strands have passed, faint if nothing can win any more, dashed and moving while a child
// grows, bold along the chosen path.

import { pathTo } from '@coppice/core/tree';
import type { Point } from '../tree/camera.ts';
import { keyOfNode } from '../tree/sprout.ts';
import { addDisc, type Brush, hairline } from './brush.ts';

/** Widths in pixels, by the logarithm of visits; in a small picture the thin ones are hairlines. */
const edgeWidths = [hairline, 1.4, 1.9, 2.5, 3.2];
const denseWidths = [hairline, hairline, hairline, 1.6, 2.4];
const flightMs = 1100;

export function paintBranches(brush: Brush): void {
  const { palette, scene } = brush.picture;
  const paths = (brush.isDense ? denseWidths : edgeWidths).map((width) => ({
    width,
    viable: new Path2D(),
    futile: new Path2D(),
  }));
  for (const placed of scene.sprouts) {
    const { sprout } = placed;
    if (sprout.kind !== 'node' || sprout.parent === undefined || brush.isChosen(sprout.key)) continue;
    const mark = brush.mark(sprout);
    const wide = Math.min(edgeWidths.length - 1, Math.floor(Math.log2(1 + sprout.node.visits)));
    brush.addEdge(paths[wide]![mark === 'futile' || mark === 'lost' ? 'futile' : 'viable'], placed);
  }
  for (const { width, viable, futile } of paths) {
    brush.stroke(futile, palette.branchFaint, width);
    brush.stroke(viable, palette.branch, width);
  }
}

export function paintFlights(brush: Brush): void {
  const { ctx, radius } = brush;
  const { palette, clockMs, scene } = brush.picture;
  if (scene.inFlight === 0) return;
  const edges = new Path2D();
  const dots = new Path2D();
  for (const placed of scene.sprouts) {
    const { sprout } = placed;
    if (sprout.kind !== 'flight') continue;
    brush.addEdge(edges, placed);
    const { from, to } = brush.ends(placed);
    const share = (clockMs / flightMs + (sprout.key % 97) / 97) % 1;
    addDisc(dots, alongEdge(from, to, share), Math.max(1.4, radius * 0.36));
  }
  ctx.setLineDash([3, 4]);
  ctx.lineDashOffset = -clockMs / 60;
  brush.stroke(edges, palette.accent, hairline);
  ctx.setLineDash([]);
  brush.fill(dots, palette.accent);
}

export function paintGhosts(brush: Brush): void {
  const { ctx, radius, isDense } = brush;
  const { palette, scene } = brush.picture;
  const path = new Path2D();
  for (const placed of scene.sprouts) {
    if (placed.sprout.kind !== 'ghost') continue;
    brush.addEdge(path, placed);
    addDisc(path, brush.point(placed), radius);
  }
  if (!isDense) ctx.setLineDash([2, 3]);
  brush.stroke(path, palette.ghost, isDense ? hairline / 2 : hairline);
  ctx.setLineDash([]);
}

export function paintChosenPath(brush: Brush): void {
  const { palette, moment } = brush.picture;
  brush.stroke(edgesOf(brush, brush.chosenKeys), palette.ink, moment.exit === undefined ? 2.2 : 4);
}

export function paintTracedPath(brush: Brush): void {
  const { traced, palette } = brush.picture;
  if (traced !== undefined) brush.stroke(edgesOf(brush, pathTo(traced).map(keyOfNode)), palette.focus, 2.6);
}

function edgesOf(brush: Brush, keys: Iterable<number>): Path2D {
  const path = new Path2D();
  for (const key of keys) {
    const placed = brush.picture.scene.at(key);
    if (placed?.sprout.parent !== undefined) brush.addEdge(path, placed);
  }
  return path;
}

function alongEdge(from: Point, to: Point, share: number): Point {
  const rest = 1 - share;
  const bend = 3 * rest * rest * share;
  const near = 3 * rest * share * share;
  const middle = (from.y + to.y) / 2;
  return {
    x: from.x * (rest ** 3 + bend) + to.x * (near + share ** 3),
    y: from.y * rest ** 3 + middle * (bend + near) + to.y * share ** 3,
  };
}
