// Puts the tree on the page: draws the scene, and lets the reader point at, select, zoom and walk through it, by pointer, touch or
// keyboard. Its owner decides what is shown and selected.

import type { SearchFold } from '@coppice/core/log';
import type { Node, NodeId } from '@coppice/core/tree';
import { fill, h } from '../dom/dom.ts';
import { Drawing, type Frame } from '../dom/drawing.ts';
import { paint } from '../paint/paint.ts';
import { bestThrough } from '../tree/best-path.ts';
import { Camera, type Point } from '../tree/camera.ts';
import { type Placed, Scene } from '../tree/scene.ts';
import { walk } from '../tree/walk.ts';
import { tipOf } from './tree-tip.ts';

export interface TreeCanvasOptions {
  readonly signal: AbortSignal;
  readonly threshold: () => number | null;
  readonly onSelect: (node: NodeId | undefined) => void;
}

const reach = 22;

export class TreeCanvas {
  readonly element: HTMLElement;
  readonly #options: TreeCanvasOptions;
  readonly #canvas = h('canvas', {});
  readonly #tip = h('div', { class: 'tip', hidden: true, 'aria-hidden': 'true' });
  readonly #scene = new Scene();
  readonly #camera = new Camera();
  readonly #drawing: Drawing;
  #moment: SearchFold | undefined;
  #selected: NodeId | undefined;
  #hovered: number | undefined;
  #traced: Node | undefined;
  #drag: { from: Point; moved: boolean } | undefined;

  constructor(options: TreeCanvasOptions) {
    this.#options = options;
    this.element = h('div', {
      class: 'tree',
      tabindex: 0,
      role: 'application',
      'aria-label': 'Tree of the search',
      'aria-describedby': 'tree-keys',
      onkeydown: (event: KeyboardEvent) => this.#onKey(event),
    });
    this.element.append(this.#canvas, this.#tip);
    this.#drawing = new Drawing({
      canvas: this.#canvas,
      signal: options.signal,
      draw: (frame) => this.#draw(frame),
      onResize: () => this.#aim(),
    });
    this.#listen();
  }

  show(moment: SearchFold): void {
    this.#moment = moment;
    this.#scene.show(moment);
    const nodes = moment.tree?.nodes.length ?? 0;
    this.#canvas.setAttribute('aria-hidden', 'true');
    this.element.setAttribute(
      'aria-label',
      `Tree of the search: ${nodes} nodes, ${moment.tree?.strands.size ?? 0} strands open`,
    );
    this.#aim();
  }

  select(node: NodeId | undefined): void {
    this.#selected = node;
    this.#drawing.request();
  }

  reset(): void {
    this.#camera.reset();
    this.#drawing.request();
  }

  zoom(factor: number): void {
    const { width, height } = this.#drawing.size;
    this.#camera.zoomBy(factor, { x: width / 2, y: height / 2 });
    this.#drawing.request();
  }

  #aim(): void {
    this.#camera.aimAt(this.#scene.extent, this.#drawing.size);
    this.#drawing.request();
  }

  #draw({ ctx, size, palette, elapsedMs, clockMs }: Frame): boolean {
    const moment = this.#moment;
    if (moment === undefined) return false;
    const moving = [this.#scene.advance(elapsedMs), this.#camera.advance(elapsedMs)];
    const threshold = this.#options.threshold();
    const [scene, camera, chosen] = [this.#scene, this.#camera, moment.chosen];
    const marked = { chosen, selected: this.#selected, hovered: this.#hovered, traced: this.#traced };
    paint(ctx, { scene, camera, moment, threshold, ...marked, palette, size, clockMs });
    return moving.includes(true) || (scene.inFlight > 0 && Number.isFinite(elapsedMs));
  }

  #listen(): void {
    const canvas = this.#canvas;
    canvas.addEventListener('pointerdown', (event) => {
      this.#drag = { from: at(event), moved: false };
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener('pointermove', (event) => this.#onMove(event));
    canvas.addEventListener('pointerup', (event) => {
      if (this.#drag?.moved === false) this.#choose(this.#nearest(at(event)));
      this.#drag = undefined;
    });
    canvas.addEventListener('pointercancel', () => {
      this.#drag = undefined;
    });
    canvas.addEventListener('pointerleave', () => this.#hover(undefined, { x: 0, y: 0 }));
    canvas.addEventListener('dblclick', () => this.reset());
    canvas.addEventListener('wheel', (event) => this.#onWheel(event), { passive: false });
  }

  #onMove(event: PointerEvent): void {
    const here = at(event);
    if (this.#drag === undefined) return this.#hover(this.#nearest(here), here);
    const { from } = this.#drag;
    if (!this.#drag.moved && Math.hypot(here.x - from.x, here.y - from.y) < 5) return;
    this.#camera.moveBy(here.x - from.x, here.y - from.y);
    this.#drag = { from: here, moved: true };
    this.#hover(undefined, here);
    this.#drawing.request();
  }

  /** The wheel zooms only after a click on the tree, so that it never traps a scrolling page. */
  #onWheel(event: WheelEvent): void {
    const held = event.ctrlKey || event.metaKey || this.#camera.isMoved || document.activeElement === this.element;
    if (!held) return;
    event.preventDefault();
    this.#camera.zoomBy(Math.exp(-event.deltaY / 400), at(event));
    this.#drawing.request();
  }

  #nearest(point: Point): Placed | undefined {
    let nearest: Placed | undefined;
    let least = reach;
    for (const placed of this.#scene.sprouts) {
      const { x, y } = this.#camera.place(placed.x, placed.depth);
      const distance = Math.hypot(point.x - x, point.y - y);
      if (distance < least) {
        nearest = placed;
        least = distance;
      }
    }
    return nearest;
  }

  #choose(placed: Placed | undefined): void {
    this.#options.onSelect(placed?.sprout.kind === 'node' ? placed.sprout.node.id : undefined);
  }

  #hover(placed: Placed | undefined, point: Point): void {
    if (this.#hovered !== placed?.sprout.key) {
      this.#hovered = placed?.sprout.key;
      this.#traced = placed?.sprout.kind === 'node' ? bestThrough(placed.sprout.node) : undefined;
      fill(this.#tip, ...(placed === undefined ? [] : tipOf(placed.sprout, this.#traced)));
      this.#drawing.request();
    }
    this.#tip.hidden = placed === undefined;
    if (placed === undefined) return;
    const { width } = this.#drawing.size;
    const x = Math.max(8, Math.min(point.x + 14, width - this.#tip.offsetWidth - 8));
    const above = point.y - this.#tip.offsetHeight - 12;
    this.#tip.style.transform = `translate(${x}px, ${above < 4 ? point.y + 18 : above}px)`;
  }

  /** The tree grows up: up goes to the children. */
  #onKey(event: KeyboardEvent): void {
    const next = this.#moment && walk(this.#moment, this.#scene, this.#selected, event.key);
    if (next !== undefined) this.#options.onSelect(next.id);
    else if (event.key === '+' || event.key === '=') this.zoom(1.4);
    else if (event.key === '-') this.zoom(1 / 1.4);
    else if (event.key === '0') this.reset();
    else if (event.key === 'Escape') this.#options.onSelect(undefined);
    else if (!event.key.startsWith('Arrow')) return;
    event.preventDefault();
    event.stopPropagation();
  }
}

function at(event: MouseEvent): Point {
  return { x: event.offsetX, y: event.offsetY };
}
