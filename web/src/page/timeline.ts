// The width timeline, which is also the slider of the replay: strands allowed and open over time, the best finished score
// below, and a playhead that pointer and keys move. Left and right go one event, Page Up and Page Down twenty.

import type { LoggedEvent } from '../../../src/runtime/events.ts';
import type { Player } from '../log/player.ts';
import { Widths } from '../log/widths.ts';
import { readPalette } from '../tree/palette.ts';
import { makeSheet } from './canvas.ts';
import { h, setAttribute } from './dom.ts';
import { FrameLoop } from './frame-loop.ts';
import { niceTicks, stepArea, stepLine } from './plot.ts';
import { onTheme } from './theme.ts';
import { formatDuration } from './words.ts';

export interface TimelineOptions {
  readonly log: readonly LoggedEvent[];
  readonly player: Player;
  readonly threshold: () => number;
  readonly signal: AbortSignal;
  readonly onSeek: () => void;
}

const left = 44;
const right = 16;
const lanes = { width: { top: 8, bottom: 74 }, score: { top: 84, bottom: 118 }, axis: 124 };
const eventsPerPage = 20;

export class Timeline {
  readonly element: HTMLElement;
  readonly #options: TimelineOptions;
  readonly #widths: Widths;
  readonly #sheet;
  readonly #loop: FrameLoop;
  #palette = readPalette();

  constructor(options: TimelineOptions) {
    this.#options = options;
    this.#widths = new Widths(options.log);
    const canvas = h('canvas', { 'aria-hidden': 'true' });
    this.element = h(
      'div',
      {
        class: 'timeline',
        tabindex: 0,
        role: 'slider',
        'aria-label': 'Replay: event of the log',
        'aria-valuemin': 0,
        onkeydown: (event: KeyboardEvent) => this.#onKey(event),
      },
      canvas,
    );
    this.#loop = new FrameLoop(() => this.#draw());
    this.#sheet = makeSheet(canvas, () => this.#loop.request());
    canvas.addEventListener('pointerdown', (event) => {
      canvas.setPointerCapture(event.pointerId);
      this.#seekTo(event.offsetX);
    });
    canvas.addEventListener('pointermove', (event) => {
      if (event.buttons === 1) this.#seekTo(event.offsetX);
    });
    onTheme(() => {
      this.#palette = readPalette();
      this.#loop.request();
    }, options.signal);
    options.signal.addEventListener('abort', () => {
      this.#loop.stop();
      this.#sheet.stop();
    });
  }

  /** The log has grown or the player has moved. */
  update(): void {
    const { log, player } = this.#options;
    this.#widths.update();
    setAttribute(this.element, 'aria-valuemax', String(log.length));
    setAttribute(this.element, 'aria-valuenow', String(player.position));
    const atMs = player.atMs - player.startMs;
    setAttribute(this.element, 'aria-valuetext', `event ${player.position} of ${log.length}, ${formatDuration(atMs)}`);
    this.#loop.request();
  }

  #onKey(event: KeyboardEvent): void {
    const { player, log } = this.#options;
    const steps: Record<string, number> = {
      ArrowRight: 1,
      ArrowUp: 1,
      ArrowLeft: -1,
      ArrowDown: -1,
      PageUp: eventsPerPage,
      PageDown: -eventsPerPage,
      Home: -log.length,
      End: log.length,
    };
    const step = steps[event.key];
    if (step === undefined) return;
    event.preventDefault();
    player.seek(player.position + step);
    this.#options.onSeek();
  }

  #seekTo(x: number): void {
    const { player } = this.#options;
    const share = (x - left) / (this.#sheet.size().width - left - right);
    if (share >= 1) player.seek(Number.POSITIVE_INFINITY);
    else if (share <= 0) player.seek(1);
    else player.seekTime(player.startMs + share * (player.endMs - player.startMs));
    this.#options.onSeek();
  }

  #draw(): boolean {
    const { ctx } = this.#sheet;
    const { width, height } = this.#sheet.size();
    const { player } = this.#options;
    const spanMs = Math.max(1, player.endMs - player.startMs);
    const x = (atMs: number) => left + ((atMs - player.startMs) / spanMs) * (width - left - right);
    ctx.clearRect(0, 0, width, height);
    ctx.font = '11px system-ui, sans-serif';
    ctx.textBaseline = 'middle';
    this.#drawAxis(ctx, x, spanMs, width);
    this.#drawWidths(ctx, x);
    this.#drawScores(ctx, x, width);
    this.#drawPlayhead(ctx, x(player.atMs), width);
    this.#drawNames(ctx);
    return false;
  }

  #drawAxis(ctx: CanvasRenderingContext2D, x: (atMs: number) => number, spanMs: number, width: number): void {
    const { line, faint } = this.#palette;
    ctx.fillStyle = faint;
    ctx.strokeStyle = line;
    ctx.lineWidth = 1;
    ctx.textAlign = 'center';
    ctx.beginPath();
    for (const tickMs of niceTicks(spanMs, Math.max(2, Math.floor(width / 110)))) {
      const at = Math.round(x(this.#options.player.startMs + tickMs)) + 0.5;
      ctx.moveTo(at, lanes.width.top);
      ctx.lineTo(at, lanes.score.bottom);
      ctx.fillText(
        tickMs === 0
          ? '0'
          : formatDuration(tickMs)
              .replace('.00', '')
              .replace(/(\.\d)0 /, '$1 '),
        Math.min(at, width - 24),
        lanes.axis + 8,
      );
    }
    for (const y of [lanes.width.bottom, lanes.score.bottom]) {
      ctx.moveTo(left, y + 0.5);
      ctx.lineTo(width - right, y + 0.5);
    }
    ctx.stroke();
  }

  #drawWidths(ctx: CanvasRenderingContext2D, x: (atMs: number) => number): void {
    const { points, most, notches } = this.#widths;
    const { accent, accentSoft, accentMid, muted, faint } = this.#palette;
    const { top, bottom } = lanes.width;
    const y = (strands: number) => bottom - (strands / most) * (bottom - top);
    const endMs = this.#options.player.endMs;
    const series = (value: (point: (typeof points)[number]) => number) =>
      points.map((point) => ({ x: x(point.atMs), y: y(value(point)) }));
    ctx.fillStyle = accentSoft;
    ctx.fill(
      stepArea(
        series(({ primary, speculative }) => primary + speculative),
        x(endMs),
        bottom,
      ),
    );
    ctx.fillStyle = accentMid;
    ctx.fill(
      stepArea(
        series(({ open }) => open),
        x(endMs),
        bottom,
      ),
    );
    ctx.lineWidth = 1.6;
    ctx.strokeStyle = accent;
    ctx.stroke(
      stepLine(
        series(({ open }) => open),
        x(endMs),
      ),
    );
    ctx.lineWidth = 1;
    ctx.strokeStyle = muted;
    ctx.stroke(
      stepLine(
        series(({ primary }) => primary),
        x(endMs),
      ),
    );
    ctx.fillStyle = faint;
    ctx.textAlign = 'right';
    ctx.fillText(String(most), left - 8, top + 4);
    ctx.fillText('0', left - 8, bottom - 2);
    this.#drawNotches(ctx, x, notches);
  }

  #drawNotches(ctx: CanvasRenderingContext2D, x: (atMs: number) => number, notches: Widths['notches']): void {
    const { ink } = this.#palette;
    const cross = new Path2D();
    const ticks = new Path2D();
    const y = (lanes.width.bottom + lanes.score.top) / 2;
    for (const { atMs, kind } of notches) {
      const at = x(atMs);
      if (kind === 'completed') {
        ticks.rect(at - 0.6, y - 3, 1.2, 6);
      } else {
        cross.moveTo(at - 2.5, y - 2.5);
        cross.lineTo(at + 2.5, y + 2.5);
        cross.moveTo(at + 2.5, y - 2.5);
        cross.lineTo(at - 2.5, y + 2.5);
      }
    }
    ctx.fillStyle = ink;
    ctx.fill(ticks);
    ctx.lineWidth = 1.2;
    ctx.strokeStyle = ink;
    ctx.stroke(cross);
  }

  #drawScores(ctx: CanvasRenderingContext2D, x: (atMs: number) => number, width: number): void {
    const { ink, faint, muted } = this.#palette;
    const { top, bottom } = lanes.score;
    const y = (score: number) => bottom - Math.min(1, score) * (bottom - top);
    const threshold = y(this.#options.threshold());
    ctx.setLineDash([4, 4]);
    ctx.strokeStyle = muted;
    ctx.lineWidth = 1;
    ctx.beginPath();
    ctx.moveTo(left, threshold);
    ctx.lineTo(width - right, threshold);
    ctx.stroke();
    ctx.setLineDash([]);
    const best = this.#widths.points.filter((point) => point.best !== undefined);
    ctx.strokeStyle = ink;
    ctx.lineWidth = 1.8;
    ctx.stroke(
      stepLine(
        best.map((point) => ({ x: x(point.atMs), y: y(point.best!) })),
        x(this.#options.player.endMs),
      ),
    );
    ctx.fillStyle = faint;
    ctx.textAlign = 'right';
    ctx.fillText('1', left - 8, top + 3);
    ctx.fillText('0', left - 8, bottom - 2);
  }

  #drawNames(ctx: CanvasRenderingContext2D): void {
    const { muted, panel } = this.#palette;
    ctx.textAlign = 'left';
    ctx.lineWidth = 3;
    ctx.lineJoin = 'round';
    ctx.strokeStyle = panel;
    ctx.fillStyle = muted;
    for (const [name, { top }] of [['strands', lanes.width] as const, ['best score', lanes.score] as const]) {
      ctx.strokeText(name, left + 6, top + 7);
      ctx.fillText(name, left + 6, top + 7);
    }
  }

  #drawPlayhead(ctx: CanvasRenderingContext2D, at: number, width: number): void {
    const { panel, focus } = this.#palette;
    ctx.globalAlpha = 0.62;
    ctx.fillStyle = panel;
    ctx.fillRect(at, 0, width - right - at + 1, lanes.score.bottom);
    ctx.globalAlpha = 1;
    ctx.fillStyle = focus;
    ctx.fillRect(at - 1, 2, 2, lanes.axis - 2);
    ctx.beginPath();
    ctx.arc(at, lanes.axis, 6, 0, 2 * Math.PI);
    ctx.fill();
    ctx.lineWidth = 2;
    ctx.strokeStyle = panel;
    ctx.stroke();
  }
}
