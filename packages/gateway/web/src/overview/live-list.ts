// Lists running searches, then waiting ones: share of the budget or place in the queue, progress, best score against the threshold, tokens
// so far. Rows are kept from frame to frame and only changes are written: hundreds change every second.

import { reasonSentence } from '@coppice/core/log';
import type { ListedJson, OverviewJson } from '../../../src/wire/overview-json.ts';
import { fill, h, setAttribute, setText } from '../dom/dom.ts';
import { term } from '../dom/term.ts';
import { formatCount, formatDuration, formatScore, formatStrands, placeWords } from '../look/words.ts';
import { setRichLine } from '../rich/rich-text.ts';

const mostPips = 16;
const shownAtFirst = 8;

class LiveRow {
  readonly element: HTMLAnchorElement;
  readonly #title = h('span', { class: 'row-title' });
  readonly #pips = h('i', { class: 'pips', 'aria-hidden': 'true' });
  readonly #strands = h('span', { class: 'row-strands' });
  readonly #share = h('span', { class: 'row-cell', title: 'strands open' }, this.#pips, this.#strands);
  readonly #rollouts = h('i', { class: 'meter', 'aria-hidden': 'true' });
  readonly #rolloutWords = h('span', {});
  readonly #score = h('i', { class: 'meter score', 'aria-hidden': 'true' });
  readonly #scoreWords = h('span', {});
  readonly #tokens = h('span', { class: 'row-number' });
  readonly #age = h('span', { class: 'row-number' });

  constructor(id: string) {
    this.element = h(
      'a',
      { class: 'row', href: `#/search/${encodeURIComponent(id)}` },
      this.#title,
      this.#share,
      h('span', { class: 'row-cell', title: 'rollouts of the most allowed' }, this.#rollouts, this.#rolloutWords),
      h(
        'span',
        { class: 'row-cell', title: 'best score; the mark is the threshold, where one ends the search' },
        this.#score,
        this.#scoreWords,
      ),
      this.#tokens,
      this.#age,
    );
  }

  update(search: ListedJson): void {
    setRichLine(this.#title, search.title ?? search.id);
    setAttribute(this.#title, 'title', search.title ?? search.id);
    const { best_score, threshold } = search;
    // An older node reports no place.
    const place = search.place ?? null;
    setAttribute(this.element, 'data-waits', place === null ? 'no' : 'yes');
    setText(this.#strands, place === null ? String(search.open_strands) : placeWords(place));
    setAttribute(this.#share, 'title', place === null ? shareWords(search) : 'in the queue of its model');
    setText(this.#rolloutWords, `${search.rollouts} of ${search.rollout_limit}`);
    setText(this.#scoreWords, formatScore(best_score));
    const isReached = best_score !== null && threshold !== null && best_score >= threshold;
    setAttribute(this.#score, 'data-reached', isReached ? 'yes' : 'no');
    setText(this.#tokens, formatCount(search.tokens ?? 0));
    setText(this.#age, formatDuration(search.age_ms));
    setVariable(this.#pips, '--open', Math.min(mostPips, search.open_strands));
    // Draws open strands above the allowed width too: the number beside the bar counts them.
    const may = Math.max(search.open_strands, search.primary + search.speculative);
    setVariable(this.#pips, '--may', Math.min(mostPips, may));
    setVariable(this.#rollouts, '--share', Math.min(1, search.rollouts / Math.max(1, search.rollout_limit)));
    setVariable(this.#score, '--share', Math.min(1, best_score ?? 0));
    // Past the end of the bar, and so hidden, if no score ends the search.
    setVariable(this.#score, '--mark', threshold === null ? 2 : Math.min(1, threshold));
  }
}

/** Describes the width and the scheduler's reason for it. */
function shareWords({ open_strands, primary, speculative, why }: ListedJson): string {
  const share = `strands open: ${formatStrands(open_strands, primary + speculative)}`;
  return why === null ? share : `${share}; ${reasonSentence(why)}`;
}

function setVariable(element: HTMLElement, name: string, value: number): void {
  const text = String(Math.round(value * 1000) / 1000);
  if (element.style.getPropertyValue(name) !== text) element.style.setProperty(name, text);
}

export class LiveList {
  readonly element: HTMLElement;
  readonly #count = h('small', {});
  readonly #head: HTMLElement;
  readonly #body = h('div', { class: 'rows' });
  readonly #none = h('p', { class: 'hint' }, 'Nothing is running. Ask something.');
  readonly #more = h('button', { type: 'button', class: 'quiet more', hidden: true });
  readonly #rows = new Map<string, LiveRow>();
  #all = false;
  #last: OverviewJson | undefined;

  constructor() {
    const names = ['search', term('strand', 'strands'), term('rollout', 'rollouts'), 'best score', 'tokens', 'age'];
    this.#head = h('div', { class: 'row row-head', hidden: true }, ...names.map((name) => h('span', {}, name)));
    this.#more.addEventListener('click', () => {
      this.#all = !this.#all;
      if (this.#last !== undefined) this.update(this.#last);
    });
    this.element = h(
      'section',
      { class: 'panel list' },
      h('h2', {}, 'Live searches', this.#count),
      this.#head,
      this.#body,
      this.#more,
      this.#none,
    );
  }

  update(frame: OverviewJson): void {
    this.#last = frame;
    const { listed: known, running } = frame.searches;
    const listed = this.#all ? known : known.slice(0, shownAtFirst);
    const { waiting } = frame.queue;
    const counts = [running > 0 && `${running} running`, waiting > 0 && `${waiting} waiting`];
    const cut = running + waiting > listed.length && listed.length > 0 && `the first ${listed.length} shown`;
    setText(this.#count, [...counts, cut].filter(Boolean).join(', '));
    this.#more.hidden = known.length <= shownAtFirst;
    setText(this.#more, this.#all ? `Show the first ${shownAtFirst} only` : `Show ${known.length - shownAtFirst} more`);
    this.#none.hidden = listed.length > 0;
    this.#head.hidden = listed.length === 0;
    const gone = new Set(this.#rows.keys());
    const elements = listed.map((search) => {
      gone.delete(search.id);
      const row = this.#row(search.id);
      row.update(search);
      return row.element;
    });
    for (const id of gone) this.#rows.delete(id);
    const same =
      this.#body.childElementCount === elements.length &&
      elements.every((each, at) => this.#body.children[at] === each);
    if (!same) this.#arrange(elements);
  }

  /** Keeps the focus where it is. */
  #arrange(elements: readonly HTMLElement[]): void {
    const focused = document.activeElement;
    fill(this.#body, ...elements);
    if (focused instanceof HTMLElement && this.#body.contains(focused)) focused.focus({ preventScroll: true });
  }

  #row(id: string): LiveRow {
    let row = this.#rows.get(id);
    if (row === undefined) {
      row = new LiveRow(id);
      this.#rows.set(id, row);
    }
    return row;
  }
}
