// Paints a scene on a canvas: edges, then nodes, then what moves. Marks of one look are gathered into one path, so that
// thousands cost a few dozen calls. Model text reaches the canvas as text only.

import type { NodeId } from '../../../src/tree/events.ts';
import { type Node, pathTo } from '../../../src/tree/node.ts';
import type { Moment } from '../log/replay.ts';
import type { Camera, Point, Size } from './camera.ts';
import { type Mark, markOf } from './mark.ts';
import type { Palette } from './palette.ts';
import type { Placed, Scene } from './scene.ts';
import { scoreColour, scoreStep, scoreSteps } from './score-scale.ts';
import { keyOfNode, type NodeSprout } from './sprout.ts';

export interface Picture {
  readonly scene: Scene;
  readonly camera: Camera;
  readonly moment: Moment;
  readonly threshold: number;
  /** The path of the answer, or of the best so far. */
  readonly chosen: Node | undefined;
  readonly selected: NodeId | undefined;
  readonly hovered: number | undefined;
  readonly palette: Palette;
  readonly size: Size;
  /** Milliseconds of an endless clock, for what moves; constant where the reader wants no motion. */
  readonly clockMs: number;
}

const edgeWidths = [1, 1.4, 1.9, 2.5, 3.2];

export function paint(ctx: CanvasRenderingContext2D, picture: Picture): void {
  const { size, palette } = picture;
  ctx.clearRect(0, 0, size.width, size.height);
  ctx.lineCap = 'round';
  paintLevels(ctx, picture);
  const brush = new Brush(ctx, picture);
  brush.edges();
  brush.flights();
  brush.chosenPath();
  brush.ghosts();
  brush.nodes();
  brush.cuts();
  brush.strands();
  brush.rings();
  brush.labels();
  ctx.fillStyle = palette.ink;
}

function paintLevels(ctx: CanvasRenderingContext2D, { camera, scene, size, palette }: Picture): void {
  ctx.strokeStyle = palette.line;
  ctx.lineWidth = 1;
  ctx.fillStyle = palette.faint;
  ctx.font = '11px system-ui, sans-serif';
  ctx.textAlign = 'left';
  ctx.textBaseline = 'middle';
  const every = Math.max(1, Math.ceil(18 / camera.levelHeight));
  ctx.beginPath();
  for (let depth = 0; depth < scene.extent.levels; depth += every) {
    const y = Math.round(camera.place(0, depth).y) + 0.5;
    if (y < 0 || y > size.height) continue;
    ctx.moveTo(34, y);
    ctx.lineTo(size.width - 12, y);
    ctx.fillText(depth === 0 ? 'root' : String(depth), 8, y);
  }
  ctx.stroke();
}

/** Where a point of an edge lies; the edge leaves its parent upwards and arrives upwards. */
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

class Brush {
  readonly #ctx: CanvasRenderingContext2D;
  readonly #picture: Picture;
  readonly #radius: number;
  readonly #onPath: ReadonlySet<number>;

  constructor(ctx: CanvasRenderingContext2D, picture: Picture) {
    this.#ctx = ctx;
    this.#picture = picture;
    const { camera } = picture;
    this.#radius = Math.min(8, Math.max(1.6, Math.min(camera.spacing * 0.32, camera.levelHeight * 0.3)));
    this.#onPath = new Set(picture.chosen === undefined ? [] : [0, ...pathTo(picture.chosen).map(keyOfNode)]);
  }

  /** Too small for dashes, which would only cost time. */
  get #isDense(): boolean {
    return this.#radius < 3;
  }

  edges(): void {
    const { palette } = this.#picture;
    const paths = edgeWidths.map(() => ({ viable: new Path2D(), futile: new Path2D() }));
    for (const placed of this.#picture.scene.sprouts) {
      const { sprout } = placed;
      if (sprout.kind !== 'node' || sprout.parent === undefined || this.#onPath.has(sprout.key)) continue;
      const mark = this.#mark(sprout);
      const wide = Math.min(edgeWidths.length - 1, Math.floor(Math.log2(1 + sprout.node.visits)));
      this.#addEdge(paths[wide]![mark === 'viable' || mark === 'won' ? 'viable' : 'futile'], placed);
    }
    for (const [at, { viable, futile }] of paths.entries()) {
      this.#ctx.lineWidth = edgeWidths[at]!;
      this.#stroke(futile, palette.branchFaint);
      this.#stroke(viable, palette.branch);
    }
  }

  flights(): void {
    const { palette, clockMs, scene } = this.#picture;
    if (scene.inFlight === 0) return;
    const ctx = this.#ctx;
    const dashes = new Path2D();
    const dots = new Path2D();
    for (const placed of scene.sprouts) {
      if (placed.sprout.kind !== 'flight') continue;
      this.#addEdge(dashes, placed);
      const { from, to } = this.#ends(placed);
      const share = (clockMs / 1100 + (placed.sprout.key % 97) / 97) % 1;
      const { x, y } = alongEdge(from, to, share);
      const radius = Math.max(1.4, this.#radius * 0.36);
      dots.moveTo(x + radius, y);
      dots.arc(x, y, radius, 0, 2 * Math.PI);
    }
    ctx.lineWidth = 1.2;
    ctx.setLineDash([3, 4]);
    ctx.lineDashOffset = -clockMs / 60;
    this.#stroke(dashes, palette.accent);
    ctx.setLineDash([]);
    ctx.fillStyle = palette.accent;
    ctx.fill(dots);
  }

  chosenPath(): void {
    const { scene, palette, moment } = this.#picture;
    const path = new Path2D();
    for (const key of this.#onPath) {
      const placed = scene.at(key);
      if (placed?.sprout.parent !== undefined) this.#addEdge(path, placed);
    }
    this.#ctx.lineWidth = moment.exit === undefined ? 2.2 : 4;
    this.#stroke(path, palette.ink);
  }

  ghosts(): void {
    const { palette, scene } = this.#picture;
    const ctx = this.#ctx;
    const path = new Path2D();
    for (const placed of scene.sprouts) {
      if (placed.sprout.kind !== 'ghost') continue;
      this.#addEdge(path, placed);
      const { to } = this.#ends(placed);
      path.moveTo(to.x + this.#radius, to.y);
      path.arc(to.x, to.y, this.#radius, 0, 2 * Math.PI);
    }
    ctx.lineWidth = this.#isDense ? 0.5 : 1;
    if (!this.#isDense) ctx.setLineDash([2, 3]);
    this.#stroke(path, palette.ghost);
    ctx.setLineDash([]);
  }

  nodes(): void {
    const { palette, scene } = this.#picture;
    const looks = new Map<number, { full: Path2D; hollow: Path2D }>();
    const outline = new Path2D();
    for (const placed of scene.sprouts) {
      const { sprout } = placed;
      if (sprout.kind !== 'node') continue;
      const at = this.#point(placed);
      if (!this.#isVisible(at)) continue;
      const step = sprout.parent === undefined ? -1 : scoreStep(sprout.node.score);
      const look = looks.get(step) ?? { full: new Path2D(), hollow: new Path2D() };
      looks.set(step, look);
      const mark = this.#mark(sprout);
      const radius = this.#radius * (this.#onPath.has(sprout.key) ? 1.25 : 1);
      addShape(mark === 'viable' || mark === 'won' ? look.full : look.hollow, mark, at, radius);
      if (this.#onPath.has(sprout.key)) addShape(outline, mark, at, radius + 1.2);
    }
    const ctx = this.#ctx;
    for (const [step, { full, hollow }] of looks) {
      const colour = step === -1 ? palette.ink : scoreColour(palette.theme, step / scoreSteps);
      ctx.fillStyle = palette.panel;
      ctx.fill(hollow);
      ctx.lineWidth = Math.max(1.1, this.#radius * 0.3);
      this.#stroke(hollow, colour);
      ctx.fillStyle = colour;
      ctx.fill(full);
      if (this.#isDense) continue;
      ctx.lineWidth = 1;
      this.#stroke(full, palette.edge);
    }
    ctx.lineWidth = 1.6;
    this.#stroke(outline, palette.ink);
  }

  /** A cross on every node at which a strand was pruned. */
  cuts(): void {
    const { moment, scene, palette } = this.#picture;
    const path = new Path2D();
    const arm = Math.max(2, this.#radius * 0.62);
    for (const id of moment.prunedAt.keys()) {
      const node = moment.tree?.nodes[id];
      const placed = node && scene.at(keyOfNode(node));
      if (placed === undefined) continue;
      const { x, y } = this.#point(placed);
      path.moveTo(x - arm, y - arm);
      path.lineTo(x + arm, y + arm);
      path.moveTo(x + arm, y - arm);
      path.lineTo(x - arm, y + arm);
    }
    this.#ctx.lineWidth = 1.5;
    this.#stroke(path, palette.ink);
  }

  /** A ring where each open strand stands. */
  strands(): void {
    const { scene, palette, camera } = this.#picture;
    const path = new Path2D();
    const radius = this.#radius + 3.2;
    for (const { x, depth } of scene.strands) {
      const at = camera.place(x, depth);
      path.moveTo(at.x + radius, at.y);
      path.arc(at.x, at.y, radius, 0, 2 * Math.PI);
    }
    this.#ctx.lineWidth = 1.8;
    this.#stroke(path, palette.accent);
  }

  rings(): void {
    const { selected, hovered, moment, scene, palette } = this.#picture;
    const node = selected === undefined ? undefined : moment.tree?.nodes[selected];
    const ctx = this.#ctx;
    for (const [key, width] of [[hovered, 1.2] as const, [node && keyOfNode(node), 2.4] as const]) {
      const placed = key === undefined ? undefined : scene.at(key);
      if (placed === undefined) continue;
      const { x, y } = this.#point(placed);
      ctx.beginPath();
      ctx.arc(x, y, this.#radius + 6, 0, 2 * Math.PI);
      ctx.lineWidth = width;
      ctx.strokeStyle = palette.focus;
      ctx.stroke();
    }
  }

  /** Scores along the chosen path where there is room, and the answer at its end. */
  labels(): void {
    const { chosen, scene, palette, camera, moment } = this.#picture;
    if (chosen === undefined) return;
    const ctx = this.#ctx;
    ctx.textBaseline = 'middle';
    ctx.textAlign = 'left';
    ctx.lineJoin = 'round';
    ctx.font = '600 11px system-ui, sans-serif';
    for (const node of camera.levelHeight < 26 || camera.spacing < 9
      ? []
      : pathTo(chosen).slice(0, chosen.terminal ? -1 : undefined)) {
      const placed = scene.at(keyOfNode(node));
      if (placed === undefined) continue;
      const { x, y } = this.#point(placed);
      this.#halo(node.score.toFixed(2), x + this.#radius + 6, y - this.#radius - 2, palette.ink);
    }
    const end = scene.at(keyOfNode(chosen));
    if (end === undefined || !chosen.terminal) return;
    const { x, y } = this.#point(end);
    ctx.textAlign = 'center';
    ctx.font = '650 13px system-ui, sans-serif';
    const words = [moment.exit === undefined && 'best so far', shorten(chosen.answer ?? ''), chosen.score.toFixed(2)];
    this.#halo(words.filter(Boolean).join(' · '), x, y - this.#radius - 18, palette.ink);
  }

  #halo(text: string, x: number, y: number, colour: string): void {
    const ctx = this.#ctx;
    const half = ctx.textAlign === 'center' ? ctx.measureText(text).width / 2 : 0;
    const inside = Math.min(this.#picture.size.width - 8 - half, Math.max(8 + half, x));
    ctx.lineWidth = 4;
    ctx.strokeStyle = this.#picture.palette.panel;
    ctx.strokeText(text, inside, y);
    ctx.fillStyle = colour;
    ctx.fillText(text, inside, y);
  }

  #stroke(path: Path2D, colour: string): void {
    this.#ctx.strokeStyle = colour;
    this.#ctx.stroke(path);
  }

  #mark(sprout: NodeSprout): Mark {
    const { moment, threshold } = this.#picture;
    return markOf(sprout.node, moment.tree!, threshold);
  }

  #point({ x, depth }: Placed): Point {
    return this.#picture.camera.place(x, depth);
  }

  #ends(placed: Placed): { from: Point; to: Point } {
    const parent = this.#picture.scene.at(placed.sprout.parent!.key)!;
    return { from: this.#point(parent), to: this.#point(placed) };
  }

  #addEdge(path: Path2D, placed: Placed): void {
    const { from, to } = this.#ends(placed);
    if (!this.#isVisible(from) && !this.#isVisible(to) && !this.#spans(from, to)) return;
    const middle = (from.y + to.y) / 2;
    path.moveTo(from.x, from.y);
    path.bezierCurveTo(from.x, middle, to.x, middle, to.x, to.y);
  }

  #isVisible({ x, y }: Point): boolean {
    const { width, height } = this.#picture.size;
    return x > -20 && x < width + 20 && y > -20 && y < height + 20;
  }

  #spans(from: Point, to: Point): boolean {
    const { width, height } = this.#picture.size;
    const across = Math.min(from.x, to.x) < width && Math.max(from.x, to.x) > 0;
    return across && Math.min(from.y, to.y) < height && Math.max(from.y, to.y) > 0;
  }
}

function addShape(path: Path2D, mark: Mark, { x, y }: Point, radius: number): void {
  if (mark === 'viable' || mark === 'futile') {
    path.moveTo(x + radius, y);
    path.arc(x, y, radius, 0, 2 * Math.PI);
    return;
  }
  const reach = radius * 1.3;
  path.moveTo(x, y - reach);
  path.lineTo(x + reach, y);
  path.lineTo(x, y + reach);
  path.lineTo(x - reach, y);
  path.closePath();
}

function shorten(text: string): string {
  return text.length > 28 ? `${text.slice(0, 27)}…` : text;
}
