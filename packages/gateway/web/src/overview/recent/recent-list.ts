// Lists ended searches from the server's journal, by verdict and by words, in an order that the reader chooses; two of them can be
// compared. Reads the list again when the overview shows that another search has ended.

import { verdicts } from '@coppice/core/log';
import type { OverviewJson } from '../../../../src/wire/overview-json.ts';
import type { SearchJson } from '../../../../src/wire/search-json.ts';
import { listRecent } from '../../api/client.ts';
import { fill, h, setText } from '../../dom/dom.ts';
import { verdictLook } from '../../look/verdicts.ts';
import { chosen, type RecentOrder, recentOrders } from './recent-choice.ts';
import { recentColumns, recentRow } from './recent-row.ts';

const read = 200;
const shown = 50;
const pauseMs = 2000;
const staleMs = 30_000;

export class RecentList {
  readonly element: HTMLElement;
  readonly #head: HTMLElement;
  readonly #body = h('div', { class: 'rows' });
  readonly #none = h('p', { class: 'hint' }, 'Nothing has ended yet.');
  readonly #words = h('input', { type: 'search', placeholder: 'words', 'aria-label': 'Words to look for' });
  readonly #verdict = h('select', { 'aria-label': 'Verdict' }, ...verdictChoices());
  readonly #order = h('select', { 'aria-label': 'Order' }, ...recentOrders.map((each) => h('option', {}, each)));
  readonly #compare = h('button', { type: 'button', disabled: true, onclick: () => this.#openComparison() });
  /** In order of picking; two at most. */
  #picked: string[] = [];
  #searches: readonly SearchJson[] = [];
  readonly #signal: AbortSignal;
  #ended = -1;
  #readMs = Number.NEGATIVE_INFINITY;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
    const names = recentColumns.map((name) => h('span', {}, name));
    this.#head = h('div', { class: 'row recent row-head', 'aria-hidden': 'true', hidden: true }, ...names);
    const controls = [this.#words, this.#verdict, this.#order, this.#compare];
    this.element = h(
      'section',
      { class: 'panel list' },
      h('div', { class: 'list-head' }, h('h2', {}, 'Recent searches'), ...controls),
      this.#head,
      this.#body,
      this.#none,
    );
    this.#words.addEventListener('input', () => this.#show());
    for (const each of [this.#verdict, this.#order]) each.addEventListener('change', () => this.#show());
    this.#offerComparison();
  }

  update({ ended, at_ms }: OverviewJson): void {
    const pausedMs = at_ms - this.#readMs;
    if (pausedMs < (ended === this.#ended ? staleMs : pauseMs)) return;
    this.#ended = ended;
    this.#readMs = at_ms;
    void this.#read();
  }

  async #read(): Promise<void> {
    const searches = await listRecent(read).catch(() => undefined);
    if (searches === undefined || this.#signal.aborted) return;
    this.#searches = searches;
    this.#show();
  }

  #show(): void {
    const order = this.#order.value as RecentOrder;
    const found = chosen(this.#searches, { words: this.#words.value, verdict: this.#verdict.value, order });
    const count = this.#searches.length;
    setText(this.#none, count === 0 ? 'Nothing has ended yet.' : `None of the last ${count} is like that.`);
    this.#none.hidden = found.length > 0;
    this.#head.hidden = found.length === 0;
    this.#fillRows(found.slice(0, shown));
  }

  /** Makes the rows again; the focus moves to the row in its former place. */
  #fillRows(searches: readonly SearchJson[]): void {
    const focused = document.activeElement;
    const label = this.#body.contains(focused) ? (focused?.getAttribute('href') ?? focused?.id) : undefined;
    const rows = searches.map((search) =>
      recentRow({
        search,
        nowMs: this.#readMs,
        picked: this.#picked.includes(search.id),
        onPick: (picked) => this.#pick(search.id, picked),
      }),
    );
    fill(this.#body, ...rows);
    if (label === undefined) return;
    const again = [...this.#body.querySelectorAll<HTMLElement>('a, input')];
    again.find((each) => (each.getAttribute('href') ?? each.id) === label)?.focus({ preventScroll: true });
  }

  #pick(id: string, picked: boolean): void {
    const others = this.#picked.filter((each) => each !== id);
    this.#picked = picked ? [...others, id].slice(-2) : others;
    this.#offerComparison();
    this.#show();
  }

  #offerComparison(): void {
    const missing = 2 - this.#picked.length;
    this.#compare.disabled = missing > 0;
    setText(this.#compare, missing > 0 ? `Compare: pick ${missing === 2 ? 'two' : 'one more'}` : 'Compare');
  }

  #openComparison(): void {
    location.hash = `#/compare/${this.#picked.map(encodeURIComponent).join('/')}`;
  }
}

function verdictChoices(): HTMLElement[] {
  const all = h('option', { value: '' }, 'every verdict');
  return [all, ...verdicts.map((value) => h('option', { value }, verdictLook(value).words))];
}
