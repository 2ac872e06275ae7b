// Searches that have ended, newest first. Read again when the overview says that another one has.

import type { OverviewJson } from '../../../src/gateway/wire/overview-json.ts';
import type { SearchJson } from '../../../src/gateway/wire/search-json.ts';
import { listRecent } from '../api/client.ts';
import { fill, h } from '../dom/dom.ts';
import { exitLook } from '../look/exits.ts';
import { formatAgo, formatCount, formatDuration, formatScore } from '../look/words.ts';

const shown = 30;
const pauseMs = 2000;
const staleMs = 30_000;

export class RecentList {
  readonly element: HTMLElement;
  readonly #head: HTMLElement;
  readonly #body = h('div', { class: 'rows' });
  readonly #none = h('p', { class: 'hint' }, 'Nothing has ended yet.');
  readonly #signal: AbortSignal;
  #ended = -1;
  #readMs = Number.NEGATIVE_INFINITY;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
    const names = ['exit', 'search', 'best score', 'nodes', 'tokens', 'took', 'ended'];
    this.#head = h(
      'div',
      { class: 'row recent row-head', 'aria-hidden': 'true' },
      ...names.map((name) => h('span', {}, name)),
    );
    this.element = h(
      'section',
      { class: 'panel list' },
      h('h2', {}, 'Recent searches'),
      this.#head,
      this.#body,
      this.#none,
    );
    this.#head.hidden = true;
  }

  update({ exits, at_ms }: OverviewJson): void {
    const ended = Object.values(exits).reduce((sum, each) => sum + each, 0);
    const pausedMs = at_ms - this.#readMs;
    if (pausedMs < (ended === this.#ended ? staleMs : pauseMs)) return;
    this.#ended = ended;
    this.#readMs = at_ms;
    void this.#read(at_ms);
  }

  async #read(nowMs: number): Promise<void> {
    const searches = await listRecent(shown).catch(() => undefined);
    if (searches === undefined || this.#signal.aborted) return;
    this.#none.hidden = searches.length > 0;
    this.#head.hidden = searches.length === 0;
    fill(this.#body, ...searches.map((search) => recentRow(search, nowMs)));
  }
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
    h('span', { class: 'row-number' }, formatScore(summary?.best_score)),
    h('span', { class: 'row-number' }, summary === null ? '–' : formatCount(summary.nodes)),
    h('span', { class: 'row-number' }, summary === null ? '–' : formatCount(summary.tokens)),
    h('span', { class: 'row-number' }, took),
    h('span', { class: 'row-number' }, ended_ms === null ? '–' : formatAgo(Math.max(0, nowMs - ended_ms))),
  );
}
