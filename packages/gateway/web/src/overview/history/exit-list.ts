// Counts of exits: a line for each kind that happened.

import { fill, h, setText } from '../../dom/dom.ts';
import { term } from '../../dom/term.ts';
import { exitLooks } from '../../look/exits.ts';
import { formatCount } from '../../look/words.ts';

export class ExitList {
  readonly element = h('ul', { class: 'mix-list' });
  readonly #parts = new Map<string, { item: HTMLElement; count: HTMLElement }>();

  constructor() {
    for (const { kind, sign, about } of exitLooks) {
      const count = h('b', {}, '0');
      const mark = h('i', { class: `sign exit-${kind}`, 'aria-hidden': 'true' }, sign);
      const words = h('span', {}, kind === 'futile' ? term('futile') : kind, `: ${about}`);
      this.#parts.set(kind, { item: h('li', { hidden: true }, mark, words, count), count });
    }
    fill(this.element, ...[...this.#parts.values()].map(({ item }) => item));
  }

  update(exits: Readonly<Record<string, number>>): void {
    for (const [kind, { item, count }] of this.#parts) {
      setText(count, formatCount(exits[kind] ?? 0));
      item.hidden = (exits[kind] ?? 0) === 0;
    }
  }
}
