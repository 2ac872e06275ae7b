// Draws the use of the budget over the last 15 minutes, and below it the strands of each live search now.

import type { OverviewJson, SampleJson } from '../../../src/wire/overview-json.ts';
import { h, setText } from '../dom/dom.ts';
import { Drawing, type Frame } from '../dom/drawing.ts';
import { stepArea, stepLine } from '../dom/plot.ts';
import { term } from '../dom/term.ts';
import { formatAgo } from '../look/words.ts';
import type { OverviewFeed } from './overview-feed.ts';

const leastShownMs = 20_000;
const stripHeight = 12;
const axisHeight = 18;

export class BudgetChart {
  readonly element: HTMLElement;
  readonly #feed: OverviewFeed;
  readonly #used = h('b', {}, '–');
  readonly #total = document.createTextNode('');
  readonly #unit = h('small', {}, this.#total, term('strand', 'strands'));
  readonly #below = h('p', { class: 'below' });
  readonly #drawing: Drawing;

  constructor(feed: OverviewFeed, signal: AbortSignal) {
    this.#feed = feed;
    const canvas = h('canvas', {
      class: 'chart',
      role: 'img',
      'aria-label': 'Strands open over time, and how the searches share them now',
    });
    const words = h('div', {}, h('h2', {}, 'Budget'), h('p', { class: 'value' }, this.#used, this.#unit), this.#below);
    this.element = h('section', { class: 'tile panel wide' }, words, canvas);
    this.#drawing = new Drawing({ canvas, signal, draw: (frame) => this.#draw(frame) });
  }

  update(): void {
    const frame = this.#feed.last;
    if (frame === undefined) return;
    const { budget, queue, searches } = frame;
    setText(this.#used, String(budget.used));
    this.#total.data = `of ${budget.total} `;
    setText(this.#below, `${searches.running} running · ${queue.waiting} waiting`);
    this.#drawing.request();
  }

  #draw(frame: Frame): false {
    const { ctx, size } = frame;
    const { last, samples } = this.#feed;
    ctx.clearRect(0, 0, size.width, size.height);
    if (last === undefined) return false;
    drawHistory(frame, samples, size.height - stripHeight - axisHeight - 8);
    drawShares(frame, last, size.height - stripHeight);
    return false;
  }
}

function drawHistory(frame: Frame, samples: readonly SampleJson[], bottom: number): void {
  const { ctx, size, palette } = frame;
  const { width } = size;
  const endMs = samples.at(-1)!.at_ms;
  const spanMs = Math.max(leastShownMs, endMs - samples[0]!.at_ms);
  const most = samples.reduce((high, { total, used }) => Math.max(high, total, used), 1);
  const series = (strands: (sample: SampleJson) => number) =>
    samples.map((each) => {
      return {
        x: width - ((endMs - each.at_ms) / spanMs) * width,
        y: bottom - (strands(each) / most) * (bottom - 3),
      };
    });
  const used = series((sample) => sample.used);
  ctx.fillStyle = palette.line;
  ctx.fillRect(0, bottom, width, 1);
  ctx.fillStyle = palette.accentSoft;
  ctx.fill(stepArea(used, width, bottom));
  ctx.lineWidth = 1.6;
  ctx.strokeStyle = palette.accent;
  ctx.stroke(stepLine(used, width));
  ctx.setLineDash([4, 4]);
  ctx.lineWidth = 1;
  ctx.strokeStyle = palette.muted;
  ctx.stroke(
    stepLine(
      series(({ total }) => total),
      width,
    ),
  );
  ctx.setLineDash([]);
  drawAxisWords(frame, spanMs, bottom + 5);
}

function drawAxisWords({ ctx, size, palette }: Frame, spanMs: number, top: number): void {
  ctx.fillStyle = palette.faint;
  ctx.font = '11px system-ui, sans-serif';
  ctx.textBaseline = 'top';
  ctx.textAlign = 'left';
  ctx.fillText(formatAgo(spanMs), 0, top);
  ctx.textAlign = 'right';
  ctx.fillText('now, by search', size.width, top);
}

function drawShares({ ctx, size, palette }: Frame, { searches, budget }: OverviewJson, top: number): void {
  const perStrand = size.width / Math.max(1, budget.total, budget.used);
  const gap = Math.min(2, perStrand * 0.3);
  ctx.fillStyle = palette.line;
  ctx.fillRect(0, top, size.width, stripHeight);
  ctx.fillStyle = palette.accent;
  let x = 0;
  for (const { open_strands } of searches.listed) {
    ctx.fillRect(x, top, Math.max(0.5, open_strands * perStrand - gap), stripHeight);
    x += open_strands * perStrand;
  }
}
