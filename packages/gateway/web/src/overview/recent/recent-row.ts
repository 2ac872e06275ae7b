// Makes the row of an ended search: a box to choose it for a comparison, and a link to it.

import { describeExit } from '@coppice/core/log';
import type { SearchJson } from '../../../../src/wire/search-json.ts';
import { h } from '../../dom/dom.ts';
import { verdictLook } from '../../look/verdicts.ts';
import { formatAgo, formatCount, formatDuration, formatScore } from '../../look/words.ts';
import { richLine } from '../../rich/rich-text.ts';

export const recentColumns = ['verdict', 'search', 'answer', 'stopped', 'nodes', 'tokens', 'took', 'ended'] as const;

export interface RecentRowOptions {
  readonly search: SearchJson;
  readonly nowMs: number;
  readonly picked: boolean;
  readonly onPick: (picked: boolean) => void;
}

export function recentRow({ search, nowMs, picked, onPick }: RecentRowOptions): HTMLElement {
  const { id, title } = search;
  const box = h('input', {
    type: 'checkbox',
    id: `pick-${id}`,
    'aria-label': `Compare: ${title ?? id}`,
    checked: picked,
  });
  box.addEventListener('change', () => onPick(box.checked));
  const cells = [verdictCell(search), titleCell(search), answerCell(search), exitCell(search), ...numberCells(search)];
  const ended = search.ended_ms === null ? '–' : formatAgo(Math.max(0, nowMs - search.ended_ms));
  const link = h('a', { class: 'row recent', href: `#/search/${encodeURIComponent(id)}` }, ...cells, numberCell(ended));
  return h('div', { class: 'recent-line' }, box, link);
}

/** Shows the exit in words, and by the API's name. A search that never ran has only its error. */
function exitCell({ exit, state, error }: SearchJson): HTMLElement {
  const words = exit === null ? (error?.message ?? state) : describeExit(exit);
  return h('span', { class: 'row-why', title: exit === null ? words : `${exit.kind}: ${words}` }, words);
}

function titleCell({ title, id }: SearchJson): HTMLElement {
  return h('span', { class: 'row-title', title: title ?? id }, ...richLine(title ?? id));
}

function answerCell({ answer, verdict }: SearchJson): HTMLElement {
  const look = verdictLook(verdict).answers ? 'row-answer' : 'row-answer attempt';
  return h('span', { class: look, ...(answer === null ? {} : { title: answer }) }, ...richLine(answer ?? '–'));
}

/** The best finished score is a hint only: a vote may have chosen another path. */
function verdictCell({ verdict, summary }: SearchJson): HTMLElement {
  const { sign, words, tone } = verdictLook(verdict);
  const mark = h('i', { class: `sign exit-${tone}`, 'aria-hidden': 'true' }, sign);
  return h(
    'span',
    { class: 'row-exit', title: `best finished score ${formatScore(summary?.best_score)}` },
    mark,
    words,
  );
}

function numberCells({ summary, created_ms, ended_ms }: SearchJson): HTMLElement[] {
  return [
    numberCell(summary === null ? '–' : formatCount(summary.nodes)),
    numberCell(summary === null ? '–' : formatCount(summary.tokens)),
    numberCell(ended_ms === null ? '–' : formatDuration(ended_ms - created_ms)),
  ];
}

function numberCell(text: string): HTMLElement {
  return h('span', { class: 'row-number' }, text);
}
