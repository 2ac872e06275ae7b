// Shows why the scheduler gave strands to this search and took them away, newest first, up to the shown moment: a sentence each, with its
// numbers behind a disclosure.

import { type LoggedEvent, reasonFigures, reasonSentence } from '@coppice/core/log';
import { fill, h, setText } from '../../dom/dom.ts';
import { formatDuration } from '../../look/words.ts';
import { type WidthChange, widthChanges } from './width-changes.ts';

const mostShown = 100;

export class WidthPanel {
  readonly #summary = h('summary', {});
  readonly #list = h('ol', {});
  readonly element = h('details', { class: 'panel widths' }, this.#summary, this.#list);
  #shown = -1;

  show(log: readonly LoggedEvent[], position: number): void {
    const changes = widthChanges(log.slice(0, position));
    if (changes.length === this.#shown) return;
    this.#shown = changes.length;
    const times = changes.length === 1 ? 'once' : `${changes.length} times`;
    setText(this.#summary, changes.length === 0 ? 'No strands given yet' : `Strands given and taken: ${times}`);
    const startMs = log[0]?.atMs ?? 0;
    const newest = changes.slice(-mostShown).reverse();
    fill(this.#list, ...newest.map((change) => line(change, startMs)));
  }
}

function line({ atMs, from, to, taken, why }: WidthChange, startMs: number): HTMLElement {
  const lost = taken === 0 ? '' : `, ${taken} taken away`;
  const heading = `${formatDuration(atMs - startMs)}: ${from} → ${to}${lost}`;
  if (why === undefined) return h('li', {}, h('b', {}, heading), h('span', {}, 'No reason was logged.'));
  const sentence = reasonSentence(why);
  const figures = reasonFigures(why);
  return h(
    'li',
    {},
    h('b', {}, heading),
    h('span', {}, `${sentence[0]!.toUpperCase()}${sentence.slice(1)}.`),
    h('details', { class: 'numbers' }, h('summary', {}, 'Numbers'), h('span', {}, figures.join(' · '))),
  );
}
