// Shows the session of a search as a line of its turns, each a link to its tree.

import type { SearchJson } from '../../../src/wire/search-json.ts';
import { listSession } from '../api/client.ts';
import { h } from '../dom/dom.ts';
import { verdictLook } from '../look/verdicts.ts';
import { formatCount, formatDuration } from '../look/words.ts';
import { mostTurns, sessionTurns } from './session-turns.ts';

/** Hidden for a search without a session, and while the turns cannot be read. */
export function sessionLine(search: SearchJson, signal: AbortSignal): HTMLElement {
  const element = h('nav', { class: 'session', 'aria-label': 'Turns of this session', hidden: true });
  if (search.session !== null && search.session !== undefined)
    void show(element, search, search.session, signal).catch(() => {});
  return element;
}

async function show(element: HTMLElement, search: SearchJson, session: string, signal: AbortSignal): Promise<void> {
  const { turns, isCut } = sessionTurns(await listSession(session, mostTurns), search);
  if (signal.aborted) return;
  const links = turns.map((turn, at) => h('li', {}, turnLink(turn, turn.id === search.id, isCut ? '' : `${at + 1}`)));
  const name = h(
    'span',
    { class: 'session-name', title: session },
    `Session ${session}${isCut ? ': the last turns' : ''}`,
  );
  element.append(name, h('ol', {}, ...links));
  element.hidden = false;
}

function turnLink(
  { id, title, verdict, state, summary, created_ms, ended_ms }: SearchJson,
  isShown: boolean,
  at: string,
) {
  const { sign, words } = verdictLook(verdict);
  const took = ended_ms === null ? state : formatDuration(ended_ms - created_ms);
  const about = [title ?? id, words, took, `${formatCount(summary?.tokens ?? 0)} tokens`].join(' · ');
  const href = `#/search/${encodeURIComponent(id)}`;
  return h('a', { href, title: about, 'aria-current': isShown ? 'page' : undefined }, `${at} ${sign}`.trim());
}
