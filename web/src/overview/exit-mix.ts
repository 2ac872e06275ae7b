// Why searches ended, in the last fifteen minutes: one bar with a part for each kind, and the numbers in words.

import { fill, h, setText } from '../dom/dom.ts';
import { exitLooks } from '../look/exits.ts';
import { formatCount } from '../look/words.ts';

export class ExitMix {
  readonly element: HTMLElement;
  readonly #bar = h('div', { class: 'mix', 'aria-hidden': 'true' });
  readonly #list = h('ul', { class: 'mix-list' });
  readonly #parts = new Map<string, { bar: HTMLElement; item: HTMLElement; count: HTMLElement }>();

  constructor() {
    for (const { kind, sign, about } of exitLooks) {
      const count = h('b', {}, '0');
      const mark = h('i', { class: `sign exit-${kind}`, 'aria-hidden': 'true' }, sign);
      const item = h('li', { title: about }, mark, `${kind} `, count);
      this.#parts.set(kind, { bar: h('i', { class: `exit-${kind}` }), item, count });
    }
    const parts = [...this.#parts.values()];
    fill(this.#bar, ...parts.map(({ bar }) => bar));
    fill(this.#list, ...parts.map(({ item }) => item));
    this.element = h(
      'section',
      { class: 'tile panel exits' },
      h('h2', {}, 'Exits', h('small', {}, 'last 15 minutes')),
      this.#bar,
      this.#list,
    );
  }

  update(exits: Readonly<Record<string, number>>): void {
    for (const [kind, { bar, item, count }] of this.#parts) {
      const value = exits[kind] ?? 0;
      bar.style.flexGrow = String(value);
      bar.hidden = value === 0;
      item.dataset.zero = value === 0 ? 'yes' : 'no';
      setText(count, formatCount(value));
    }
  }
}
