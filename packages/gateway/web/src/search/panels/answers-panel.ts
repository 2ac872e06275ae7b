// Lists the answers that lost beside the tree, with their scores and why. Selecting one shows its path.

import type { SearchFold } from '@coppice/core/log';
import { fill, h } from '../../dom/dom.ts';
import { formatScore } from '../../look/words.ts';
import { richLine } from '../../rich/rich-text.ts';
import { givenUp, type OtherAnswer, otherAnswers } from './other-answers.ts';

const shownAtFirst = 4;
const mostShown = 40;

export interface AnswersPanelOptions {
  readonly threshold: () => number | null;
  readonly onSelect: (node: number) => void;
}

export class AnswersPanel {
  readonly #list = h('ol', { class: 'rivals' });
  readonly #rest = h('ol', { class: 'rivals' });
  readonly #more = h('summary', {});
  readonly #others = h('details', {}, this.#more, this.#rest);
  readonly #note = h('p', { class: 'state' });
  readonly element = h(
    'section',
    { class: 'panel answers', 'aria-label': 'Other answers' },
    h('h2', {}, 'Other answers'),
    this.#list,
    this.#others,
    this.#note,
  );
  readonly #options: AnswersPanelOptions;
  #shown = '';

  constructor(options: AnswersPanelOptions) {
    this.#options = options;
  }

  show(fold: SearchFold): void {
    const { tree, exit, chosen } = fold;
    const key = [tree?.closed.completed, tree?.nodes.length, chosen?.id, exit?.kind, fold.prunedAt.size].join(' ');
    if (key === this.#shown) return;
    this.#shown = key;
    const others = otherAnswers(fold, this.#options.threshold());
    const given = givenUp(fold);
    this.element.hidden = chosen === undefined;
    const items = others.slice(0, mostShown).map((each) => this.#item(each));
    fill(this.#list, ...items.slice(0, shownAtFirst));
    fill(this.#rest, ...items.slice(shownAtFirst));
    this.#others.hidden = items.length <= shownAtFirst;
    this.#more.textContent = `${others.length - shownAtFirst} more`;
    const none =
      others.length === 0 ? [`Every finished path ${exit === undefined ? 'so far ' : ''}ends in the same answer.`] : [];
    this.#note.textContent = [...none, ...given].join(' ');
    this.#note.hidden = this.#note.textContent === '';
  }

  #item({ node, words, score, paths, why }: OtherAnswer): HTMLElement {
    const times = paths === 1 ? '' : `${paths} paths`;
    const button = h(
      'button',
      { type: 'button', class: 'rival', title: words, onclick: () => this.#options.onSelect(node.id) },
      h('b', {}, ...richLine(words)),
      h('span', { class: 'rival-score' }, [formatScore(score), times].filter(Boolean).join(' · ')),
      h('span', { class: 'rival-why' }, why),
    );
    return h('li', {}, button);
  }
}
