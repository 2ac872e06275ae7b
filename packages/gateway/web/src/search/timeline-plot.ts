// Draws the timeline: strands allowed and open over time, a tick for each finished rollout, a cross for each preempted strand, the best
// finished score against the threshold, and the playhead. A veil covers the time after it.

import type { Frame } from '../dom/drawing.ts';
import { niceTicks, stepArea, stepLine } from '../dom/plot.ts';
import { formatDuration } from '../look/words.ts';
import { addCross } from '../paint/brush.ts';
import type { Point } from '../tree/camera.ts';
import type { Player } from './player.ts';
import type { WidthTimeline } from './width-timeline.ts';

export interface TimelineData {
  readonly widths: WidthTimeline;
  readonly player: Player;
  /** Null if no score ends the search. */
  readonly threshold: number | null;
}

interface Plot extends Frame, TimelineData {
  readonly x: (atMs: number) => number;
}

const left = 44;
const right = 16;
const widthLane = { name: 'strands', top: 8, bottom: 74 };
const scoreLane = { name: 'best score', top: 84, bottom: 118 };
const axis = 124;

/** Share of the whole time at this place on the canvas; below 0 or above 1 beyond its ends. */
export function shareAt(x: number, width: number): number {
  return (x - left) / (width - left - right);
}

export function drawTimeline(frame: Frame, data: TimelineData): false {
  const { ctx, size } = frame;
  const { startMs, endMs } = data.player;
  const perMs = (size.width - left - right) / Math.max(1, endMs - startMs);
  const plot: Plot = { ...frame, ...data, x: (atMs) => left + (atMs - startMs) * perMs };
  ctx.clearRect(0, 0, size.width, size.height);
  ctx.font = '11px system-ui, sans-serif';
  ctx.textBaseline = 'middle';
  drawAxis(plot);
  drawWidths(plot);
  drawNotches(plot);
  drawScores(plot);
  drawPlayhead(plot);
  drawNames(plot);
  return false;
}

function drawAxis({ ctx, size, palette, player, x }: Plot): void {
  ctx.fillStyle = palette.faint;
  ctx.strokeStyle = palette.line;
  ctx.lineWidth = 1;
  ctx.textAlign = 'center';
  ctx.beginPath();
  for (const tickMs of niceTicks(player.endMs - player.startMs, Math.max(2, Math.floor(size.width / 110)))) {
    const at = Math.round(x(player.startMs + tickMs)) + 0.5;
    ctx.moveTo(at, widthLane.top);
    ctx.lineTo(at, scoreLane.bottom);
    const words = tickWords(tickMs);
    ctx.fillText(words, Math.min(at, size.width - ctx.measureText(words).width / 2 - 2), axis + 8);
  }
  for (const { bottom } of [widthLane, scoreLane]) {
    ctx.moveTo(left, bottom + 0.5);
    ctx.lineTo(size.width - right, bottom + 0.5);
  }
  ctx.stroke();
}

function tickWords(ms: number): string {
  return ms === 0
    ? '0'
    : formatDuration(ms)
        .replace(/\.0+ s$/, ' s')
        .replace(/(\.\d)0 s$/, '$1 s');
}

function drawWidths({ ctx, palette, player, widths, x }: Plot): void {
  const { points, most } = widths;
  const { top, bottom } = widthLane;
  const series = (strands: (point: (typeof points)[number]) => number): Point[] =>
    points.map((point) => ({ x: x(point.atMs), y: bottom - (strands(point) / most) * (bottom - top) }));
  const end = x(player.endMs);
  const open = series((point) => point.open);
  ctx.fillStyle = palette.accentSoft;
  ctx.fill(
    stepArea(
      series(({ primary, speculative }) => primary + speculative),
      end,
      bottom,
    ),
  );
  ctx.fillStyle = palette.accentMid;
  ctx.fill(stepArea(open, end, bottom));
  ctx.lineWidth = 1.6;
  ctx.strokeStyle = palette.accent;
  ctx.stroke(stepLine(open, end));
  ctx.lineWidth = 1;
  ctx.strokeStyle = palette.muted;
  ctx.stroke(
    stepLine(
      series(({ primary }) => primary),
      end,
    ),
  );
  drawScale(ctx, palette.faint, String(most), widthLane);
}

function drawNotches({ ctx, palette, widths, x }: Plot): void {
  const crosses = new Path2D();
  const ticks = new Path2D();
  const y = (widthLane.bottom + scoreLane.top) / 2;
  for (const { atMs, kind } of widths.notches) {
    if (kind === 'completed') ticks.rect(x(atMs) - 0.6, y - 3, 1.2, 6);
    else addCross(crosses, { x: x(atMs), y }, 2.5);
  }
  ctx.fillStyle = palette.ink;
  ctx.fill(ticks);
  ctx.lineWidth = 1.2;
  ctx.strokeStyle = palette.ink;
  ctx.stroke(crosses);
}

function drawScores({ ctx, size, palette, player, widths, threshold, x }: Plot): void {
  const { top, bottom } = scoreLane;
  const y = (score: number) => bottom - Math.min(1, score) * (bottom - top);
  if (threshold !== null) {
    ctx.setLineDash([4, 4]);
    ctx.strokeStyle = palette.muted;
    ctx.lineWidth = 1;
    ctx.beginPath();
    ctx.moveTo(left, y(threshold));
    ctx.lineTo(size.width - right, y(threshold));
    ctx.stroke();
    ctx.setLineDash([]);
  }
  const best = widths.points.filter((point) => point.best !== undefined);
  ctx.strokeStyle = palette.ink;
  ctx.lineWidth = 1.8;
  ctx.stroke(
    stepLine(
      best.map((point) => ({ x: x(point.atMs), y: y(point.best!) })),
      x(player.endMs),
    ),
  );
  drawScale(ctx, palette.faint, '1', scoreLane);
}

function drawScale(ctx: CanvasRenderingContext2D, colour: string, most: string, lane: typeof widthLane): void {
  ctx.fillStyle = colour;
  ctx.textAlign = 'right';
  ctx.fillText(most, left - 8, lane.top + 4);
  ctx.fillText('0', left - 8, lane.bottom - 2);
}

function drawPlayhead({ ctx, size, palette, player, x }: Plot): void {
  const at = x(player.atMs);
  ctx.globalAlpha = 0.62;
  ctx.fillStyle = palette.panel;
  ctx.fillRect(at, 0, size.width - right - at + 1, scoreLane.bottom);
  ctx.globalAlpha = 1;
  ctx.fillStyle = palette.focus;
  ctx.fillRect(at - 1, 2, 2, axis - 2);
  ctx.beginPath();
  ctx.arc(at, axis, 6, 0, 2 * Math.PI);
  ctx.fill();
  ctx.lineWidth = 2;
  ctx.strokeStyle = palette.panel;
  ctx.stroke();
}

function drawNames({ ctx, palette }: Plot): void {
  ctx.textAlign = 'left';
  ctx.lineWidth = 3;
  ctx.lineJoin = 'round';
  ctx.strokeStyle = palette.panel;
  ctx.fillStyle = palette.muted;
  for (const { name, top } of [widthLane, scoreLane]) {
    ctx.strokeText(name, left + 6, top + 7);
    ctx.fillText(name, left + 6, top + 7);
  }
}
