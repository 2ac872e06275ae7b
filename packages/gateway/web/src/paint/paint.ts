// Paints the picture of a tree, from back to front.

import { Brush, type Picture } from './brush.ts';
import { paintBranches, paintChosenPath, paintFlights, paintGhosts, paintTracedPath } from './paint-branches.ts';
import { paintCuts, paintNodes, paintRings, paintStrands } from './paint-marks.ts';
import { paintLabels, paintLevels } from './paint-words.ts';

const layers = [
  paintLevels,
  paintBranches,
  paintFlights,
  paintGhosts,
  paintChosenPath,
  paintTracedPath,
  paintNodes,
  paintCuts,
  paintStrands,
  paintRings,
  paintLabels,
];

export function paint(ctx: CanvasRenderingContext2D, picture: Picture): void {
  ctx.clearRect(0, 0, picture.size.width, picture.size.height);
  ctx.lineCap = 'round';
  const brush = new Brush(ctx, picture);
  for (const layer of layers) layer(brush);
}
