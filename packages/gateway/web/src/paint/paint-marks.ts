// Paints the nodes, each with the shape of its mark and the colour of its score; crosses of pruned strands; rings around open strands, the
// selected node and the one under the pointer.

import type { Node } from '@coppice/core/tree';
import { scoreColour, scoreStep, scoreSteps } from '../look/score-scale.ts';
import type { Point } from '../tree/camera.ts';
import { type Mark, shownScoreOf } from '../tree/mark.ts';
import { keyOfNode } from '../tree/sprout.ts';
import { addCross, addDisc, type Brush, hairline } from './brush.ts';

/** A ring is a disc with a hole: filling is many times cheaper than stroking. The root has no score. */
const rootLook = -1;
const unscoredLook = -2;

export function paintNodes(brush: Brush): void {
  const { radius, isDense } = brush;
  const { palette, scene } = brush.picture;
  const rim = Math.max(1.1, radius * 0.3);
  const looks = new Map<number, Path2D>();
  const holes = new Path2D();
  const outline = new Path2D();
  for (const placed of scene.sprouts) {
    const { sprout } = placed;
    const at = brush.point(placed);
    if (sprout.kind !== 'node' || !brush.isVisible(at)) continue;
    const step = sprout.parent === undefined ? rootLook : lookOf(sprout.node);
    const look = looks.get(step) ?? new Path2D();
    looks.set(step, look);
    const mark = brush.mark(sprout);
    const chosen = brush.isChosen(sprout.key);
    const size = radius * (chosen ? 1.25 : 1);
    addShape(look, mark, at, size);
    if (mark !== 'viable' && mark !== 'won' && mark !== 'scored') addShape(holes, mark, at, size - rim);
    if (chosen) addShape(outline, mark, at, size + 1.2);
  }
  for (const [step, look] of looks) {
    const unscored = step === rootLook ? palette.ink : palette.branch;
    const colour = step < 0 ? unscored : scoreColour(palette.theme, step / scoreSteps);
    brush.fill(look, colour);
    if (!isDense) brush.stroke(look, palette.edge, hairline);
  }
  brush.fill(holes, palette.panel);
  brush.stroke(outline, palette.ink, 1.6);
}

function lookOf(node: Node): number {
  const score = shownScoreOf(node);
  return score === undefined ? unscoredLook : scoreStep(score);
}

export function paintCuts(brush: Brush): void {
  const { moment, scene, palette } = brush.picture;
  const path = new Path2D();
  for (const id of moment.prunedAt.keys()) {
    const node = moment.tree?.nodes[id];
    const placed = node && scene.at(keyOfNode(node));
    if (placed !== undefined) addCross(path, brush.point(placed), Math.max(2, brush.radius * 0.62));
  }
  brush.stroke(path, palette.ink, 1.5);
}

export function paintStrands(brush: Brush): void {
  const { scene, palette } = brush.picture;
  const path = new Path2D();
  for (const strand of scene.strands) addDisc(path, brush.point(strand), brush.radius + 3.2);
  brush.stroke(path, palette.accent, 1.8);
}

export function paintRings(brush: Brush): void {
  const { selected, hovered, moment, scene, palette } = brush.picture;
  const node = selected === undefined ? undefined : moment.tree?.nodes[selected];
  for (const [key, width] of [[hovered, 1.2] as const, [node && keyOfNode(node), 2.4] as const]) {
    const placed = key === undefined ? undefined : scene.at(key);
    if (placed === undefined) continue;
    const ring = new Path2D();
    addDisc(ring, brush.point(placed), brush.radius + 6);
    brush.stroke(ring, palette.focus, width);
  }
}

function addShape(path: Path2D, mark: Mark, at: Point, radius: number): void {
  if (mark === 'viable' || mark === 'futile') return addDisc(path, at, radius);
  const { x, y } = at;
  const reach = radius * 1.3;
  path.moveTo(x, y - reach);
  path.lineTo(x + reach, y);
  path.lineTo(x, y + reach);
  path.lineTo(x - reach, y);
  path.closePath();
}
