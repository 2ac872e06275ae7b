// Helps all layers of the picture: knows where things are on the canvas, how large, and what is worth drawing. Marks of one look go into
// one path, so that thousands cost a few dozen calls.

import type { SearchFold } from '@coppice/core/log';
import { type Node, type NodeId, pathTo } from '@coppice/core/tree';
import type { Palette } from '../look/palette.ts';
import type { Camera, CanvasSize, Point } from '../tree/camera.ts';
import { type Mark, markOf } from '../tree/mark.ts';
import type { Placed, Scene } from '../tree/scene.ts';
import { keyOfNode, type NodeSprout } from '../tree/sprout.ts';

export interface Picture {
  readonly scene: Scene;
  readonly camera: Camera;
  readonly moment: SearchFold;
  readonly threshold: number | null;
  /** End of the answer's path, or of the best path so far. */
  readonly chosen: Node | undefined;
  readonly selected: NodeId | undefined;
  readonly hovered: number | undefined;
  /** End of the best path through the hovered node. */
  readonly traced: Node | undefined;
  readonly palette: Palette;
  readonly size: CanvasSize;
  /** Milliseconds of a clock that never resets; constant if the reader wants no motion. */
  readonly clockMs: number;
}

/** A stroke of one pixel or less is many times cheaper than any wider one. */
export const hairline = 1;

const radii = { least: 1.6, most: 8 };
/** Below this radius no dashes and outlines are drawn: they would only cost time. */
const denseRadius = 3;

export class Brush {
  readonly ctx: CanvasRenderingContext2D;
  readonly picture: Picture;
  readonly radius: number;
  readonly isDense: boolean;
  readonly #onPath: ReadonlySet<number>;

  constructor(ctx: CanvasRenderingContext2D, picture: Picture) {
    this.ctx = ctx;
    this.picture = picture;
    const { camera, chosen } = picture;
    const room = Math.min(camera.spacing * 0.32, camera.levelHeight * 0.3);
    this.radius = Math.min(radii.most, Math.max(radii.least, room));
    this.isDense = this.radius < denseRadius;
    this.#onPath = new Set(chosen === undefined ? [] : [0, ...pathTo(chosen).map(keyOfNode)]);
  }

  /** Begins at the root. */
  get chosenKeys(): Iterable<number> {
    return this.#onPath;
  }

  isChosen(key: number): boolean {
    return this.#onPath.has(key);
  }

  mark(sprout: NodeSprout): Mark {
    return markOf(sprout.node, this.picture.moment.tree!, this.picture.threshold);
  }

  point({ x, depth }: { readonly x: number; readonly depth: number }): Point {
    return this.picture.camera.place(x, depth);
  }

  ends(placed: Placed): { readonly from: Point; readonly to: Point } {
    return { from: this.point(this.picture.scene.at(placed.sprout.parent!.key)!), to: this.point(placed) };
  }

  stroke(path: Path2D, colour: string, width: number): void {
    this.ctx.lineWidth = width;
    this.ctx.strokeStyle = colour;
    this.ctx.stroke(path);
  }

  fill(path: Path2D, colour: string): void {
    this.ctx.fillStyle = colour;
    this.ctx.fill(path);
  }

  /** An edge leaves its parent upwards and arrives upwards. */
  addEdge(path: Path2D, placed: Placed): void {
    const { from, to } = this.ends(placed);
    if (!this.isVisible(from) && !this.isVisible(to) && !this.#spans(from, to)) return;
    const middle = (from.y + to.y) / 2;
    path.moveTo(from.x, from.y);
    path.bezierCurveTo(from.x, middle, to.x, middle, to.x, to.y);
  }

  isVisible({ x, y }: Point): boolean {
    const { width, height } = this.picture.size;
    return x > -20 && x < width + 20 && y > -20 && y < height + 20;
  }

  #spans(from: Point, to: Point): boolean {
    const { width, height } = this.picture.size;
    const across = Math.min(from.x, to.x) < width && Math.max(from.x, to.x) > 0;
    return across && Math.min(from.y, to.y) < height && Math.max(from.y, to.y) > 0;
  }
}

/** Below this radius a disc looks like a square, which costs a third. */
const roundFrom = 2;

export function addDisc(path: Path2D, { x, y }: Point, radius: number): void {
  if (radius < roundFrom) return path.rect(x - radius, y - radius, 2 * radius, 2 * radius);
  path.moveTo(x + radius, y);
  path.arc(x, y, radius, 0, 2 * Math.PI);
}

export function addCross(path: Path2D, { x, y }: Point, arm: number): void {
  path.moveTo(x - arm, y - arm);
  path.lineTo(x + arm, y + arm);
  path.moveTo(x + arm, y - arm);
  path.lineTo(x - arm, y + arm);
}
