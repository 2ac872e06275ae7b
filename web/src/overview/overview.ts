// The overview: the box to ask, the budget now, tokens, what has ended over time, the health of what the server stands on, and
// live and recent searches.

import type { OverviewJson } from '../../../src/gateway/wire/overview-json.ts';
import { h, setText } from '../dom/dom.ts';
import { formatCount } from '../look/words.ts';
import { makeAskBox } from './ask.ts';
import { BudgetChart } from './budget-chart.ts';
import { HealthStrip } from './health.ts';
import { HistoryPanel } from './history-panel.ts';
import { LiveList } from './live-list.ts';
import { NodeList } from './node-list.ts';
import type { OverviewFeed } from './overview-feed.ts';
import { RecentList } from './recent-list.ts';

export class OverviewPage {
  readonly element: HTMLElement;
  readonly #feed: OverviewFeed;
  readonly #budget: BudgetChart;
  readonly #history: HistoryPanel;
  readonly #health = new HealthStrip();
  readonly #live = new LiveList();
  readonly #nodes = new NodeList();
  readonly #recent: RecentList;
  readonly #tokens = figures(
    'Tokens since start',
    'saved, estimated: rollouts that an exit made unnecessary, times the mean tokens of one',
  );

  constructor(feed: OverviewFeed, signal: AbortSignal) {
    this.#feed = feed;
    this.#budget = new BudgetChart(feed, signal);
    this.#history = new HistoryPanel(signal);
    this.#recent = new RecentList(signal);
    this.element = h(
      'div',
      { class: 'overview' },
      makeAskBox(),
      h('div', { class: 'tiles' }, this.#budget.element, this.#tokens.element),
      this.#history.element,
      this.#health.element,
      this.#nodes.element,
      this.#live.element,
      this.#recent.element,
    );
    feed.onFrame(() => this.#update(), signal);
    this.#update();
  }

  #update(): void {
    const frame = this.#feed.last;
    if (frame === undefined) return;
    const { tokens } = frame;
    this.#budget.update();
    this.#history.update(frame);
    this.#health.update(frame);
    this.#nodes.update(frame);
    this.#live.update(frame);
    this.#recent.update(frame);
    const generated = (tokens.committed ?? 0) + (tokens.discarded ?? 0) + (tokens.speculative ?? 0);
    this.#tokens.show([
      [`≈ ${formatCount(tokens.saved_estimate ?? 0)}`, 'saved by exits, estimated'],
      [formatCount(generated), `generated · ${formatCount(tokens.per_second ?? 0)}/s${aheadWords(tokens)}`],
    ]);
  }
}

/** Nothing where no search speculates. */
function aheadWords({ adopted = 0, forsaken = 0, speculative = 0 }: OverviewJson['tokens']): string {
  const wasted = forsaken + speculative;
  return adopted + wasted === 0 ? '' : ` · grown ahead ${formatCount(adopted)} used, ${formatCount(wasted)} wasted`;
}

interface Figures {
  readonly element: HTMLElement;
  /** Values with the words that follow them. */
  show(values: readonly (readonly [value: string, words: string])[]): void;
}

function figures(name: string, about: string): Figures {
  const lines = [0, 1].map(() => ({ value: h('b', {}, '–'), words: h('small', {}) }));
  const values = lines.map(({ value, words }) => h('p', { class: 'value' }, value, words));
  return {
    element: h('section', { class: 'tile panel', title: about }, h('h2', {}, name), ...values),
    show(given) {
      for (const [at, [value, words]] of given.entries()) {
        setText(lines[at]!.value, value);
        setText(lines[at]!.words, words);
      }
    },
  };
}
