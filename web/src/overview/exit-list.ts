// Why searches ended, in numbers: one entry for each kind, those that did not happen in grey.

import { fill, h, setText } from '../dom/dom.ts';
import { term } from '../dom/term.ts';
import { exitLooks } from '../look/exits.ts';
import { formatCount } from '../look/words.ts';

export class ExitList {
  readonly element = h('ul', { class: 'mix-list' });
  readonly #parts = new Map<string, { item: HTMLElement; count: HTMLElement }>();

  constructor() {
    for (const { kind, sign, about } of exitLooks) {
      const count = h('b', {}, '0');
      const mark = h('i', { class: `sign exit-${kind}`, 'aria-hidden': 'true' }, sign);
      const item = h('li', { title: about }, mark, kind === 'futile' ? term('futile') : kind, ' ', count);
      this.#parts.set(kind, { item, count });
    }
    fill(this.element, ...[...this.#parts.values()].map(({ item }) => item));
  }

  update(exits: Readonly<Record<string, number>>): void {
    for (const [kind, { item, count }] of this.#parts) {
      const value = exits[kind] ?? 0;
      item.dataset.zero = value === 0 ? 'yes' : 'no';
      setText(count, formatCount(value));
    }
  }
}
