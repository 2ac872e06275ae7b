// Draws bars over time as an SVG as wide as its box. A bucket's parts are stacked, or drawn from the bottom one before the other. The words
// around it are HTML, which is never stretched. Colours are classes of the style sheet.

import { fill, h, setText, svg } from '../../dom/dom.ts';

export interface BarPart {
  readonly look: string;
  readonly value: number;
}

export interface Bar {
  readonly parts: readonly BarPart[];
  /** Shown under the pointer. */
  readonly words: string;
}

export interface BarChartOptions {
  readonly label: string;
  /** `stacked`: parts on each other; `nested`: all from the bottom, the first behind. */
  readonly kind: 'stacked' | 'nested';
}

const height = 100;
const perBar = 10;
const gap = 1.5;

export class BarChart {
  readonly element: HTMLElement;
  readonly #kind: BarChartOptions['kind'];
  readonly #picture = svg('svg', { class: 'bars', preserveAspectRatio: 'none', 'aria-hidden': 'true' });
  readonly #most = h('span', {});
  readonly #start = h('span', {});
  readonly #middle = h('span', {});
  readonly #read = h('p', { class: 'readout', 'aria-hidden': 'true' });
  #bars: readonly Bar[] = [];
  #otherwise = '';
  #pointed: number | undefined;

  constructor({ label, kind }: BarChartOptions) {
    this.#kind = kind;
    const axis = h('div', { class: 'axis', 'aria-hidden': 'true' }, this.#start, this.#middle, h('span', {}, 'now'));
    const box = h(
      'div',
      { class: 'bar-box' },
      h('p', { class: 'scale', 'aria-hidden': 'true' }, this.#most),
      this.#picture,
    );
    this.element = h('div', { class: 'bar-chart', role: 'img', 'aria-label': label }, box, axis, this.#read);
    this.#picture.addEventListener('pointermove', (event) => this.#point(event as PointerEvent));
    this.#picture.addEventListener('pointerleave', () => this.#point(undefined));
  }

  /** `most`: the top value in words; `otherwise`: shown while the pointer is elsewhere. */
  show(
    bars: readonly Bar[],
    most: number,
    words: { top: string; ago: readonly [string, string]; otherwise: string },
  ): void {
    this.#bars = bars;
    this.#otherwise = words.otherwise;
    this.#picture.setAttribute('viewBox', `0 0 ${Math.max(1, bars.length) * perBar} ${height}`);
    const rects = bars.flatMap(({ parts }, at) => this.#rects(parts, at, most));
    fill(this.#picture, ...rects);
    setText(this.#most, words.top);
    setText(this.#start, words.ago[0]);
    setText(this.#middle, words.ago[1]);
    this.#readOut();
  }

  #rects(parts: readonly BarPart[], at: number, most: number): SVGElement[] {
    let bottom = height;
    return parts.flatMap(({ look, value }) => {
      if (value <= 0) return [];
      const tall = Math.max(1.5, (value / Math.max(most, Number.MIN_VALUE)) * height);
      const y = bottom - tall;
      if (this.#kind === 'stacked') bottom = y;
      return [svg('rect', { class: look, x: at * perBar, y, width: perBar - gap, height: tall })];
    });
  }

  #point(event: PointerEvent | undefined): void {
    const { left, width } = this.#picture.getBoundingClientRect();
    this.#pointed = event && Math.floor(((event.clientX - left) / width) * this.#bars.length);
    this.#readOut();
  }

  #readOut(): void {
    const bar = this.#pointed === undefined ? undefined : this.#bars[this.#pointed];
    setText(this.#read, bar?.words ?? this.#otherwise);
  }
}
