// The selected node in words: its numbers, and the text of the path that leads to it, step by step.

import type { SearchFold } from '../../../src/log/fold.ts';
import { agreeing } from '../../../src/tree/certaindex.ts';
import { lowerBound } from '../../../src/tree/lower-bound.ts';
import { meanValue, type Node, pathTo } from '../../../src/tree/node.ts';
import { fill, h, setAttribute } from '../dom/dom.ts';
import { formatScore } from '../look/words.ts';
import { markOf, markWords, shownScoreOf } from '../tree/mark.ts';
import { readTheme } from '../tree/palette.ts';
import { scoreColour } from '../tree/score-scale.ts';

export interface DetailsOptions {
  readonly threshold: () => number;
  readonly onSelect: (node: number) => void;
}

export class Details {
  readonly element = h('section', { class: 'details', 'aria-label': 'Selected node', 'aria-live': 'off' });
  readonly #options: DetailsOptions;
  #shown = '';

  constructor(options: DetailsOptions) {
    this.#options = options;
  }

  /** Read out only what the reader selected: the best path changes too often. */
  show(moment: SearchFold, node: Node | undefined, heading: string, selected: boolean): void {
    setAttribute(this.element, 'aria-live', selected ? 'polite' : 'off');
    const answers = node?.terminal ? moment.tree?.answers.answers : 0;
    const key = `${heading} ${node?.id} ${node?.visits} ${node?.children.length} ${node?.pending} ${answers} ${readTheme()}`;
    if (key === this.#shown) return;
    this.#shown = key;
    if (node === undefined || moment.tree === undefined) {
      fill(this.element, h('p', { class: 'hint' }, 'Select a node to read its path.'));
      return;
    }
    fill(this.element, h('h2', {}, heading), this.#facts(moment, node), this.#steps(node));
  }

  #facts(moment: SearchFold, node: Node): HTMLElement {
    const threshold = this.#options.threshold();
    const cut = moment.prunedAt.get(node.id);
    const facts: [string, string][] = [
      ['score', formatScore(shownScoreOf(node))],
      ['reward', formatScore(node.reward)],
      ['visits', String(node.visits)],
      ['strands below', String(node.pending)],
      ['mean value Q', formatScore(meanValue(node))],
      ['Q at least', formatScore(lowerBound(node))],
      ['tokens', String(node.step?.tokens ?? 0)],
      ['of its path', String(node.pathTokens)],
    ];
    if (node.step?.model !== undefined) facts.unshift(['written by', node.step.model]);
    const rows = facts.map(([name, value]) => h('div', {}, h('dt', {}, name), h('dd', {}, value)));
    const state =
      node.parent === undefined ? 'the root: the question' : markWords[markOf(node, moment.tree!, threshold)];
    const company = agreeing(moment.tree!, node);
    const agreed = company && h('p', { class: 'state' }, `${company.same} of ${company.all} answers say the same`);
    const pruned = cut === undefined ? undefined : h('p', { class: 'state' }, `a strand was pruned here by ${cut}`);
    const why = node.feedback && h('p', { class: 'feedback' }, node.feedback);
    return h('div', {}, h('dl', { class: 'facts' }, ...rows), h('p', { class: 'state' }, state), agreed, pruned, why);
  }

  #steps(node: Node): HTMLElement {
    const theme = readTheme();
    const steps = pathTo(node).map((each) => {
      const dot = h('i', { class: 'dot' });
      dot.style.background = scoreColour(theme, each.score);
      const text = (each.step?.text ?? '').trim();
      const button = h(
        'button',
        { type: 'button', class: 'step', onclick: () => this.#options.onSelect(each.id) },
        dot,
        h('span', { class: 'step-text' }, text === '' ? 'no text kept' : text),
        h('span', { class: 'step-score' }, formatScore(each.reward)),
      );
      if (each === node) button.setAttribute('aria-current', 'step');
      const turn = each.step?.turn;
      return h('li', {}, turn === undefined ? undefined : h('p', { class: 'feedback' }, turn), button);
    });
    return h('ol', { class: 'steps' }, ...steps);
  }
}
