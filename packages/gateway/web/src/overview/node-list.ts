// Lists the nodes that share a journal: their part of the budget, running searches, and health. Hidden for a single process.

import type { NodeJson, OverviewJson } from '../../../src/wire/overview-json.ts';
import { fill, h } from '../dom/dom.ts';

/** Nodes report every two seconds; one silent for this long may be gone. */
const silentMs = 7000;

export class NodeList {
  readonly element: HTMLElement;
  readonly #body = h('div', { class: 'rows' });
  #shown = '';

  constructor() {
    const names = ['node', 'strands', 'running', 'models', 'version', 'state'];
    const head = h(
      'div',
      { class: 'row row-head', 'aria-hidden': 'true' },
      ...names.map((name) => h('span', {}, name)),
    );
    this.element = h('section', { class: 'panel list' }, h('h2', {}, 'Nodes'), head, this.#body);
    this.element.hidden = true;
  }

  update({ nodes }: OverviewJson): void {
    const rows = nodes.map(cellsOf);
    const shown = JSON.stringify(rows);
    if (shown === this.#shown) return;
    this.#shown = shown;
    this.element.hidden = nodes.length === 0;
    fill(this.#body, ...rows.map((cells) => h('div', { class: 'row' }, ...cells.map((cell) => h('span', {}, cell)))));
  }
}

function cellsOf(node: NodeJson): string[] {
  const { name, here, budget, running, models, version, healthy, silent_ms: silent } = node;
  const state = silent > silentMs ? `silent for ${Math.round(silent / 1000)} s` : healthy ? 'well' : 'no engine';
  const strands = `${budget.used} of ${budget.total}`;
  return [here ? `${name} (this one)` : name, strands, String(running), models.join(', '), version, state];
}
