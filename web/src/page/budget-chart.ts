// Budget use over time, for as long as this page has been open, and below it who has the budget now: one piece for each
// live search, as wide as the strands it has open.

import type { OverviewFrame } from '../api/types.ts';
import { type Palette, readPalette } from '../tree/palette.ts';
import { makeSheet } from './canvas.ts';
import { h, setText } from './dom.ts';
import { FrameLoop } from './frame-loop.ts';
import type { OverviewFeed } from './overview-feed.ts';
import { stepArea, stepLine } from './plot.ts';
import { onTheme } from './theme.ts';

const shownMs = 5 * 60_000;
const leastShownMs = 60_000;
const stripHeight = 12;
const axisHeight = 18;

export class BudgetChart {
  readonly element: HTMLElement;
  readonly #feed: OverviewFeed;
  readonly #used = h('b', {}, '–');
  readonly #total = h('small', {});
  readonly #below = h('p', { class: 'below' });
  readonly #sheet;
  readonly #loop: FrameLoop;
  #palette: Palette = readPalette();

  constructor(feed: OverviewFeed, signal: AbortSignal) {
    this.#feed = feed;
    const canvas = h('canvas', {
      class: 'chart',
      role: 'img',
      'aria-label': 'Strands open over time, and how the searches share them now',
    });
    const words = h('div', {}, h('h2', {}, 'Budget'), h('p', { class: 'value' }, this.#used, this.#total), this.#below);
    this.element = h('section', { class: 'tile panel wide' }, words, canvas);
    this.#loop = new FrameLoop(() => this.#draw());
    this.#sheet = makeSheet(canvas, () => this.#loop.request());
    onTheme(() => {
      this.#palette = readPalette();
      this.#loop.request();
    }, signal);
    signal.addEventListener('abort', () => {
      this.#loop.stop();
      this.#sheet.stop();
    });
  }

  update(): void {
    const frame = this.#feed.last;
    if (frame === undefined) return;
    const { budget, queue, searches, models } = frame;
    setText(this.#used, String(budget.used));
    setText(this.#total, `of ${budget.total} strands`);
    const ill = models.filter(({ healthy }) => !healthy).map(({ name }) => name);
    const health = ill.length === 0 ? '' : ` · not healthy: ${ill.join(', ')}`;
    setText(this.#below, `${searches.running} running · ${queue.waiting} waiting${health}`);
    this.#loop.request();
  }

  #draw(): boolean {
    const { ctx } = this.#sheet;
    const { width, height } = this.#sheet.size();
    const { last } = this.#feed;
    ctx.clearRect(0, 0, width, height);
    if (last === undefined) return false;
    this.#drawHistory(ctx, last, width, height - stripHeight - axisHeight - 8);
    this.#drawShares(ctx, last, width, height - stripHeight);
    return false;
  }

  #drawHistory(ctx: CanvasRenderingContext2D, last: OverviewFrame, width: number, bottom: number): void {
    const { frames } = this.#feed;
    const { accent, accentSoft, line, faint, muted } = this.#palette;
    const spanMs = Math.min(shownMs, Math.max(leastShownMs, last.at_ms - frames[0]!.at_ms));
    const shown = frames.filter(({ at_ms }) => at_ms >= last.at_ms - spanMs);
    const most = shown.reduce((high, { budget }) => Math.max(high, budget.total, budget.used), 1);
    const x = (atMs: number) => width - ((last.at_ms - atMs) / spanMs) * width;
    const y = (strands: number) => bottom - (strands / most) * (bottom - 3);
    const used = shown.map(({ at_ms, budget }) => ({ x: x(at_ms), y: y(budget.used) }));
    const total = shown.map(({ at_ms, budget }) => ({ x: x(at_ms), y: y(budget.total) }));
    ctx.fillStyle = line;
    ctx.fillRect(0, bottom, width, 1);
    ctx.fillStyle = accentSoft;
    ctx.fill(stepArea(used, width, bottom));
    ctx.lineWidth = 1.6;
    ctx.strokeStyle = accent;
    ctx.stroke(stepLine(used, width));
    ctx.setLineDash([4, 4]);
    ctx.lineWidth = 1;
    ctx.strokeStyle = muted;
    ctx.stroke(stepLine(total, width));
    ctx.setLineDash([]);
    ctx.fillStyle = faint;
    ctx.font = '11px system-ui, sans-serif';
    ctx.textBaseline = 'top';
    const minutes = Math.round(spanMs / 60_000);
    ctx.fillText(`${minutes} min ago`, 0, bottom + 5);
    ctx.textAlign = 'right';
    ctx.fillText('now, by search', width, bottom + 5);
    ctx.textAlign = 'left';
  }

  #drawShares(ctx: CanvasRenderingContext2D, { searches, budget }: OverviewFrame, width: number, top: number): void {
    const { accent, line } = this.#palette;
    const perStrand = width / Math.max(1, budget.total, budget.used);
    const gap = Math.min(2, perStrand * 0.3);
    ctx.fillStyle = line;
    ctx.fillRect(0, top, width, stripHeight);
    ctx.fillStyle = accent;
    let x = 0;
    for (const { open_strands } of searches.listed) {
      ctx.fillRect(x, top, Math.max(0.5, open_strands * perStrand - gap), stripHeight);
      x += open_strands * perStrand;
    }
  }
}
