// Describes the selected node: its fate, the text of its path, step by step, and its numbers behind a disclosure, which stays as the reader
// left it.

import type { SearchFold } from '@coppice/core/log';
import { agreeing, meanValue, type Node, pathTo } from '@coppice/core/tree';
import { fill, h, setAttribute } from '../../dom/dom.ts';
import { term } from '../../dom/term.ts';
import { readTheme } from '../../look/palette.ts';
import { scoreColour } from '../../look/score-scale.ts';
import { formatScore } from '../../look/words.ts';
import { richSteps } from '../../rich/rich-text.ts';
import { markOf, markWords, shownScoreOf } from '../../tree/mark.ts';
import { lowerBound } from './lower-bound.ts';

export interface DetailsOptions {
  readonly threshold: () => number | null;
  readonly onSelect: (node: number) => void;
}

export class Details {
  readonly element = h('section', { class: 'details', 'aria-label': 'Selected node', 'aria-live': 'off' });
  readonly #options: DetailsOptions;
  readonly #facts = h('dl', { class: 'facts' });
  readonly #numbers = h('details', { class: 'numbers' }, h('summary', {}, 'Numbers of this node'), this.#facts);
  #shown = '';

  constructor(options: DetailsOptions) {
    this.#options = options;
  }

  /** Announces only the reader's own selection: the best path changes too often. */
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
    fill(this.#facts, ...factsOf(node));
    fill(this.element, h('h2', {}, heading), ...this.#states(moment, node), this.#steps(node), this.#numbers);
  }

  #states(moment: SearchFold, node: Node): HTMLElement[] {
    const cut = moment.prunedAt.get(node.id);
    const mark = markOf(node, moment.tree!, this.#options.threshold());
    const state = node.parent === undefined ? 'the root: the question' : markWords[mark];
    const agreement = agreeing(moment.tree!, node);
    const lines = [
      state,
      ...(agreement === undefined ? [] : [`${agreement.same} of ${agreement.all} answers say the same`]),
      ...(cut === undefined ? [] : [`a strand was pruned here by ${cut}`]),
    ];
    const states = lines.map((line) => h('p', { class: 'state' }, line));
    return node.feedback ? [...states, h('p', { class: 'feedback' }, node.feedback)] : states;
  }

  #steps(node: Node): HTMLElement {
    const theme = readTheme();
    const path = pathTo(node);
    const texts = richSteps(path.map(({ step }) => (step?.text ?? '').trim()));
    const steps = path.map((each, at) => {
      const dot = h('i', { class: 'dot' });
      const score = shownScoreOf(each);
      if (score !== undefined) dot.style.background = scoreColour(theme, score);
      const button = h(
        'button',
        { type: 'button', class: 'step', onclick: () => this.#options.onSelect(each.id) },
        dot,
        h('span', { class: 'step-text' }, ...(each.step?.text.trim() ? texts[at]! : ['no text kept'])),
        h('span', { class: 'step-score' }, formatScore(each.reward ?? score)),
      );
      if (each === node) button.setAttribute('aria-current', 'step');
      const turn = each.step?.turn;
      return h('li', {}, turn === undefined ? undefined : h('p', { class: 'feedback' }, turn), button);
    });
    return h('ol', { class: 'steps' }, ...steps);
  }
}

function factsOf(node: Node): HTMLElement[] {
  const facts: [string | HTMLElement, string][] = [
    ['score', formatScore(shownScoreOf(node))],
    ['reward', formatScore(node.reward)],
    ['visits', String(node.visits)],
    [term('strand', 'strands below'), String(node.pending)],
    [term('Q', 'mean value Q'), formatScore(meanValue(node))],
    [term('Q at least'), formatScore(lowerBound(node))],
    ['tokens', String(node.step?.tokens ?? 0)],
    ['of its path', String(node.pathTokens)],
  ];
  if (node.step?.model !== undefined) facts.unshift(['written by', node.step.model]);
  return facts.map(([name, value]) => h('div', {}, h('dt', {}, name), h('dd', {}, value)));
}
