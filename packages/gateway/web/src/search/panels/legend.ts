// Draws the legend of the tree's marks with the same shapes.

import { fill, h, svg } from '../../dom/dom.ts';
import { term } from '../../dom/term.ts';
import type { GlossaryWord } from '../../look/glossary.ts';
import { readPalette } from '../../look/palette.ts';
import { scoreColour } from '../../look/score-scale.ts';
import { onTheme } from '../../look/theme.ts';

const explained: readonly GlossaryWord[] = ['futile', 'strand', 'speculative'];

export function makeLegend(signal: AbortSignal): HTMLElement {
  const element = h('div', { class: 'legend', 'aria-label': 'Legend' });
  const draw = () => fill(element, scale(), ...marks());
  draw();
  onTheme(draw, signal);
  return element;
}

function scale(): HTMLElement {
  const { theme } = readPalette();
  const bars = Array.from({ length: 11 }, (_, at) => {
    return svg('rect', { x: at * 8, y: 0, width: 8.5, height: 9, fill: scoreColour(theme, at / 10) });
  });
  const picture = svg(
    'svg',
    { width: 88, height: 9, viewBox: '0 0 88 9', 'aria-hidden': 'true', class: 'scale' },
    ...bars,
  );
  return h('span', {}, 'score 0', picture, '1');
}

function marks(): HTMLElement[] {
  const { theme, ink, accent, ghost, panel } = readPalette();
  const colour = scoreColour(theme, 0.75);
  const pale = scoreColour(theme, 0.35);
  const disc = (attributes: Record<string, string | number>) => svg('circle', { cx: 8, cy: 8, r: 5, ...attributes });
  const diamond = (attributes: Record<string, string | number>) =>
    svg('path', { d: 'M8 1.5 14.5 8 8 14.5 1.5 8Z', ...attributes });
  const hollow = { fill: panel, stroke: pale, 'stroke-width': 1.8 };
  return [
    entry('viable', disc({ fill: colour })),
    entry('futile', disc(hollow)),
    entry('finished', diamond({ fill: colour }), diamond({ ...hollow, transform: 'translate(16 0)' })),
    entry(
      'in flight',
      svg('path', { d: 'M1 8h14', stroke: accent, 'stroke-width': 1.4, 'stroke-dasharray': '3 3' }),
      disc({ r: 2.2, cx: 10, fill: accent }),
    ),
    entry('strand', disc({ r: 3, fill: colour }), disc({ r: 6.4, fill: 'none', stroke: accent, 'stroke-width': 1.8 })),
    entry('speculative', disc({ fill: 'none', stroke: ghost, 'stroke-dasharray': '2 2.5' })),
    entry('pruned', svg('path', { d: 'M4 4l8 8M12 4l-8 8', stroke: ink, 'stroke-width': 1.6 })),
    entry('chosen', svg('path', { d: 'M1 8h14', stroke: ink, 'stroke-width': 4, 'stroke-linecap': 'round' })),
  ];
}

function entry(name: string, ...shapes: readonly SVGElement[]): HTMLElement {
  const wide = name === 'finished' ? 32 : 16;
  const picture = svg('svg', { width: wide, height: 16, viewBox: `0 0 ${wide} 16`, 'aria-hidden': 'true' }, ...shapes);
  return h(
    'span',
    {},
    picture,
    explained.find((each) => each === name) === undefined ? name : term(name as GlossaryWord),
  );
}
