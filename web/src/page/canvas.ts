// A canvas that is as sharp as the screen and as large as its box. Redraws are the owner's business.

import type { Size } from '../tree/camera.ts';

const mostPixelsPerPoint = 2;

export interface Sheet {
  readonly canvas: HTMLCanvasElement;
  readonly ctx: CanvasRenderingContext2D;
  readonly size: () => Size;
  readonly stop: () => void;
}

export function makeSheet(canvas: HTMLCanvasElement, onResize: () => void): Sheet {
  const ctx = canvas.getContext('2d');
  if (ctx === null) throw new Error('this browser gives no 2d canvas');
  let size: Size = { width: 1, height: 1 };
  const observer = new ResizeObserver(() => {
    const { clientWidth: width, clientHeight: height } = canvas;
    if (width === 0 || height === 0) return;
    const ratio = Math.min(mostPixelsPerPoint, devicePixelRatio);
    size = { width, height };
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
    onResize();
  });
  observer.observe(canvas);
  return { canvas, ctx, size: () => size, stop: () => observer.disconnect() };
}
