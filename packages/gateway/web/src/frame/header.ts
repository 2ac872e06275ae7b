// Makes the bar at the top: the name, a note, and the choice of light and dark.

import { h, setText, svg } from '../dom/dom.ts';
import { nextTheme, themeChoice } from '../look/theme.ts';

export function makeHeader(note: HTMLElement, home: string | undefined): HTMLElement {
  const brand = [logo(), h('span', {}, 'coppice')];
  const name =
    home === undefined ? h('span', { class: 'brand' }, ...brand) : h('a', { class: 'brand', href: home }, ...brand);
  const theme = h('button', { type: 'button', class: 'quiet', 'aria-label': 'Colours: automatic, light or dark' });
  const word = () => setText(theme, { auto: '◐ auto', light: '○ light', dark: '● dark' }[themeChoice()]);
  theme.addEventListener('click', () => {
    nextTheme();
    word();
  });
  word();
  return h('header', { class: 'bar' }, name, note, theme);
}

function logo(): SVGElement {
  const dot = (cx: number, cy: number) => svg('circle', { cx, cy, r: 2.4, fill: 'currentColor', stroke: 'none' });
  const shoots = svg('path', { d: 'M7 27h18M16 27V6M16 27c0-7-7-6-7-14M16 27c0-7 7-6 7-14' });
  const attributes = {
    width: 22,
    height: 22,
    viewBox: '0 0 32 32',
    fill: 'none',
    stroke: 'currentColor',
    'aria-hidden': 'true',
  };
  return svg(
    'svg',
    { ...attributes, 'stroke-width': 2.6, 'stroke-linecap': 'round' },
    shoots,
    dot(16, 5),
    dot(9, 11.5),
    dot(23, 11.5),
  );
}
