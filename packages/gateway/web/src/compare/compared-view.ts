// Shows one of two compared searches: question, tree, and the path of the answer or of the selected node.

import { type LoggedEvent, Replay } from '@coppice/core/log';
import type { WholeSearchJson } from '../../../src/wire/search-json.ts';
import { h } from '../dom/dom.ts';
import { richText } from '../rich/rich-text.ts';
import { Details } from '../search/panels/details.ts';
import { questionOf } from '../search/search-view.ts';
import { TreeCanvas } from '../search/tree-canvas.ts';
import { WidthTimeline } from '../search/width-timeline.ts';
import type { ComparedSearch } from './comparison.ts';

export class ComparedView {
  readonly element: HTMLElement;
  readonly log: LoggedEvent[] = [];
  search: WholeSearchJson;
  readonly #replay = new Replay(this.log);
  readonly #widths = new WidthTimeline(this.log);
  readonly #tree: TreeCanvas;
  readonly #details: Details;
  #selected: number | undefined;

  constructor(search: WholeSearchJson, signal: AbortSignal) {
    this.search = search;
    const threshold = () => this.search.limits.threshold;
    const onSelect = (node: number | undefined) => this.#select(node);
    this.#tree = new TreeCanvas({ signal, threshold, onSelect });
    this.#details = new Details({ threshold, onSelect });
    const link = h('a', { href: `#/search/${encodeURIComponent(search.id)}` }, ...richText(questionOf(search)));
    this.element = h(
      'section',
      { class: 'panel contender', 'aria-label': questionOf(search) },
      h('h2', {}, link),
      h('div', { class: 'tree-box' }, this.#tree.element),
      this.#details.element,
    );
  }

  update(): void {
    const fold = this.#replay.seek(this.log.length);
    this.#tree.show(fold);
    const selected = this.#selected === undefined ? undefined : fold.tree?.nodes[this.#selected];
    const heading = selected === undefined ? 'Chosen path' : `Node ${selected.id}`;
    this.#details.show(fold, selected ?? fold.chosen, heading, selected !== undefined);
  }

  get compared(): ComparedSearch {
    this.#widths.update();
    const widest = this.#widths.points.reduce((most, { open }) => Math.max(most, open), 0);
    return { search: this.search, fold: this.#replay.seek(this.log.length), widest };
  }

  #select(node: number | undefined): void {
    this.#selected = node;
    this.#tree.select(node);
    this.update();
  }
}
