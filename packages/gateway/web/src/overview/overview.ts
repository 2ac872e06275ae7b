// The overview: the form for a question, the budget now, tokens, ended searches over time, health, and live and recent searches.

import type { OverviewJson } from '../../../src/wire/overview-json.ts';
import { h, setText } from '../dom/dom.ts';
import { formatCount } from '../look/words.ts';
import { makeAskBox } from './ask/ask.ts';
import { BudgetChart } from './budget-chart.ts';
import { HealthStrip } from './health.ts';
import { HistoryPanel } from './history/history-panel.ts';
import { LiveList } from './live-list.ts';
import { NodeList } from './node-list.ts';
import type { OverviewFeed } from './overview-feed.ts';
import { RecentList } from './recent/recent-list.ts';

const intro =
  'This server answers a question by letting a language model try many lines of reasoning, scoring them, and stopping when more tries no longer pay; here you see it at work, and can ask it something.';

export class OverviewPage {
  readonly element: HTMLElement;
  readonly #feed: OverviewFeed;
  readonly #budget: BudgetChart;
  readonly #history: HistoryPanel;
  readonly #health = new HealthStrip();
  readonly #live = new LiveList();
  readonly #nodes = new NodeList();
  readonly #recent: RecentList;
  readonly #tokens = figures('Tokens');

  constructor(feed: OverviewFeed, signal: AbortSignal) {
    this.#feed = feed;
    this.#budget = new BudgetChart(feed, signal);
    this.#history = new HistoryPanel(signal);
    this.#recent = new RecentList(signal);
    this.element = h(
      'div',
      { class: 'overview' },
      h('p', { class: 'intro' }, intro),
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
    this.#tokens.show([
      [formatCount(tokens.generated ?? 0), 'generated since the start, running searches included'],
      [formatCount(tokens.per_second ?? 0), `a second, lately${aheadWords(tokens)}`],
    ]);
  }
}

/** Empty if no search speculates. */
function aheadWords({ adopted = 0, forsaken = 0, speculative = 0 }: OverviewJson['tokens']): string {
  const wasted = forsaken + speculative;
  return adopted + wasted === 0 ? '' : ` · grown ahead ${formatCount(adopted)} used, ${formatCount(wasted)} wasted`;
}

interface Figures {
  readonly element: HTMLElement;
  /** Values, each with its words. */
  show(values: readonly (readonly [value: string, words: string])[]): void;
}

function figures(name: string): Figures {
  const lines = [0, 1].map(() => ({ value: h('b', {}, '–'), words: h('small', {}) }));
  const values = lines.map(({ value, words }) => h('p', { class: 'value' }, value, words));
  return {
    element: h('section', { class: 'tile panel' }, h('h2', {}, name), ...values),
    show(given) {
      for (const [at, [value, words]] of given.entries()) {
        setText(lines[at]!.value, value);
        setText(lines[at]!.words, words);
      }
    },
  };
}
