// Writes the words of the picture: the depth of each level, scores along the chosen path if there is room, and the answer at its end. Model
// text reaches the canvas as text only.

import { type Node, pathTo } from '@coppice/core/tree';
import { formatScore } from '../look/words.ts';
import { shownScoreOf } from '../tree/mark.ts';
import { keyOfNode } from '../tree/sprout.ts';
import type { Brush } from './brush.ts';
import { placeInside } from './place-inside.ts';

const family = 'system-ui, sans-serif';
const roomForScores = { level: 26, spacing: 9 };
const longestAnswer = 28;

export function paintLevels({ ctx, picture }: Brush): void {
  const { camera, scene, size, palette } = picture;
  ctx.strokeStyle = palette.line;
  ctx.lineWidth = 1;
  ctx.fillStyle = palette.faint;
  ctx.font = `11px ${family}`;
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

export function paintLabels(brush: Brush): void {
  const { ctx, radius } = brush;
  const { chosen, scene, camera, moment } = brush.picture;
  const end = chosen && scene.at(keyOfNode(chosen));
  if (end === undefined) return;
  ctx.textBaseline = 'middle';
  ctx.lineJoin = 'round';
  ctx.textAlign = 'left';
  ctx.font = `600 11px ${family}`;
  const hasRoom = camera.levelHeight >= roomForScores.level && camera.spacing >= roomForScores.spacing;
  for (const node of hasRoom ? pathTo(chosen!).slice(0, -1) : []) {
    if (node.reward === undefined) continue;
    const { x, y } = brush.point(scene.at(keyOfNode(node))!);
    paintHaloed(brush, formatScore(node.score), x + radius + 3, y - radius - 6);
  }
  const { x, y } = brush.point(end);
  const words = [
    moment.exit === undefined && 'best so far',
    shorten(plainFraction(chosen!.answer ?? '')),
    chosenScore(chosen!),
  ];
  ctx.textAlign = 'center';
  ctx.font = `650 13px ${family}`;
  paintHaloed(brush, words.filter(Boolean).join(' · '), x, y - radius - 18);
}

function chosenScore(chosen: Node): string {
  const score = shownScoreOf(chosen);
  return score === undefined ? 'unscored' : formatScore(score);
}

/** Draws a rim in the background's colour, so that no branch runs through the text, and keeps the text inside the canvas. */
function paintHaloed({ ctx, picture }: Brush, text: string, x: number, y: number): void {
  const { width } = ctx.measureText(text);
  const at = placeInside({ x, y }, width, ctx.textAlign === 'center' ? width / 2 : 0, picture.size);
  ctx.lineWidth = 4;
  ctx.strokeStyle = picture.palette.panel;
  ctx.strokeText(text, at.x, at.y);
  ctx.fillStyle = picture.palette.ink;
  ctx.fillText(text, at.x, at.y);
}

/** A canvas cannot typeset formulas. */
function plainFraction(answer: string): string {
  return answer.replace(/\\[dt]?frac\{(\w+)\}\{(\w+)\}/g, '$1/$2');
}

function shorten(text: string): string {
  return text.length > longestAnswer ? `${text.slice(0, longestAnswer - 1)}…` : text;
}
