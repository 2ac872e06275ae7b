// The width timeline, also the slider of the replay: pointer and keys move its playhead. Left and right go one event, Page Up and Page Down
// twenty, Home and End to the ends.

import type { LoggedEvent } from '@coppice/core/log';
import { h, setAttribute } from '../dom/dom.ts';
import { Drawing, type Frame } from '../dom/drawing.ts';
import { formatDuration } from '../look/words.ts';
import type { Player } from './player.ts';
import { drawTimeline, shareAt } from './timeline-plot.ts';
import { WidthTimeline } from './width-timeline.ts';

export interface TimelineOptions {
  readonly log: readonly LoggedEvent[];
  readonly player: Player;
  readonly threshold: () => number | null;
  readonly signal: AbortSignal;
  readonly onSeek: () => void;
}

const eventsPerPage = 20;

export class Timeline {
  readonly element: HTMLElement;
  readonly #options: TimelineOptions;
  readonly #widths: WidthTimeline;
  readonly #drawing: Drawing;

  constructor(options: TimelineOptions) {
    const { log, player, threshold, signal } = options;
    this.#options = options;
    this.#widths = new WidthTimeline(log);
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
    const draw = (frame: Frame) => drawTimeline(frame, { widths: this.#widths, player, threshold: threshold() });
    this.#drawing = new Drawing({ canvas, signal, draw });
    canvas.addEventListener('pointerdown', (event) => {
      canvas.setPointerCapture(event.pointerId);
      this.#seekTo(event.offsetX);
    });
    canvas.addEventListener('pointermove', (event) => {
      if (event.buttons === 1) this.#seekTo(event.offsetX);
    });
  }

  get hasEnded(): boolean {
    return this.#widths.hasEnded;
  }

  update(): void {
    const { log, player } = this.#options;
    this.#widths.update();
    setAttribute(this.element, 'aria-valuemax', String(log.length));
    setAttribute(this.element, 'aria-valuenow', String(player.position));
    const atMs = player.atMs - player.startMs;
    setAttribute(this.element, 'aria-valuetext', `event ${player.position} of ${log.length}, ${formatDuration(atMs)}`);
    this.#drawing.request();
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
    const share = shareAt(x, this.#drawing.size.width);
    if (share >= 1) player.seek(Number.POSITIVE_INFINITY);
    else if (share <= 0) player.seek(1);
    else player.seekTime(player.startMs + share * (player.endMs - player.startMs));
    this.#options.onSeek();
  }
}
