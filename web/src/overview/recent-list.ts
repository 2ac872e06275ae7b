// Searches that have ended, newest first, as the server's journal has them, by verdict and by words of the question. Read
// again when the overview says that another one has.

import type { OverviewJson } from '../../../src/gateway/wire/overview-json.ts';
import type { SearchJson } from '../../../src/gateway/wire/search-json.ts';
import { verdicts } from '../../../src/log/verdict.ts';
import { listRecent } from '../api/client.ts';
import { fill, h, setText } from '../dom/dom.ts';
import { exitLook } from '../look/exits.ts';
import { verdictLook } from '../look/verdicts.ts';
import { formatAgo, formatCount, formatDuration, formatScore } from '../look/words.ts';

const read = 200;
const shown = 50;
const pauseMs = 2000;
const staleMs = 30_000;

export class RecentList {
  readonly element: HTMLElement;
  readonly #head: HTMLElement;
  readonly #body = h('div', { class: 'rows' });
  readonly #none = h('p', { class: 'hint' }, 'Nothing has ended yet.');
  readonly #words = h('input', {
    type: 'search',
    placeholder: 'words to look for',
    'aria-label': 'Words to look for',
  });
  readonly #verdict = h('select', { 'aria-label': 'Verdict' }, ...choices());
  #searches: readonly SearchJson[] = [];
  readonly #signal: AbortSignal;
  #ended = -1;
  #readMs = Number.NEGATIVE_INFINITY;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
    const names = ['exit', 'search', 'verdict', 'nodes', 'tokens', 'took', 'ended'];
    this.#head = h(
      'div',
      { class: 'row recent row-head', 'aria-hidden': 'true' },
      ...names.map((name) => h('span', {}, name)),
    );
    this.element = h(
      'section',
      { class: 'panel list' },
      h('div', { class: 'list-head' }, h('h2', {}, 'Recent searches'), this.#words, this.#verdict),
      this.#head,
      this.#body,
      this.#none,
    );
    this.#head.hidden = true;
    this.#words.addEventListener('input', () => this.#show());
    this.#verdict.addEventListener('change', () => this.#show());
  }

  update({ exits, at_ms }: OverviewJson): void {
    const ended = Object.values(exits).reduce((sum, each) => sum + each, 0);
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
    const words = this.#words.value.trim().toLowerCase();
    const verdict = this.#verdict.value;
    const found = this.#searches.filter(
      (each) => (verdict === '' || each.verdict === verdict) && (each.title ?? each.id).toLowerCase().includes(words),
    );
    setText(
      this.#none,
      this.#searches.length === 0
        ? 'Nothing has ended yet.'
        : `None of the last ${this.#searches.length} is like that.`,
    );
    this.#none.hidden = found.length > 0;
    this.#head.hidden = found.length === 0;
    fill(this.#body, ...found.slice(0, shown).map((search) => recentRow(search, this.#readMs)));
  }
}

function choices(): HTMLElement[] {
  const all = h('option', { value: '' }, 'every verdict');
  return [all, ...verdicts.map((value) => h('option', { value }, verdictLook(value).words))];
}

/** The verdict in words. The best finished score stands beside it as a hint only: a vote may have chosen another path. */
function verdictCell({ verdict, summary }: SearchJson): HTMLElement {
  if (verdict === null) return h('span', { class: 'row-number' }, '–');
  const { sign, words } = verdictLook(verdict);
  const about = `best finished score ${formatScore(summary?.best_score)}`;
  return h('span', { class: 'row-number', title: about }, `${sign} ${words}`);
}

function recentRow(search: SearchJson, nowMs: number): HTMLElement {
  const { id, title, exit, state, summary, created_ms, ended_ms } = search;
  const look = exitLook(exit?.kind ?? state);
  const took = ended_ms === null ? '–' : formatDuration(ended_ms - created_ms);
  return h(
    'a',
    { class: 'row recent', href: `#/search/${encodeURIComponent(id)}` },
    h(
      'span',
      { class: 'row-exit', title: look.about },
      h('i', { class: `sign exit-${look.kind}`, 'aria-hidden': 'true' }, look.sign),
      look.kind,
    ),
    h('span', { class: 'row-title' }, title ?? id),
    verdictCell(search),
    h('span', { class: 'row-number' }, summary === null ? '–' : formatCount(summary.nodes)),
    h('span', { class: 'row-number' }, summary === null ? '–' : formatCount(summary.tokens)),
    h('span', { class: 'row-number' }, took),
    h('span', { class: 'row-number' }, ended_ms === null ? '–' : formatAgo(Math.max(0, nowMs - ended_ms))),
  );
}
