// The dashboard's entry: one bar, and below it the overview, one search, two side by side, or the reference, by the address after `#`. It
// shows none of them while a key is missing.

import { RequestError } from './api/client.ts';
import { openComparison } from './compare/open-comparison.ts';
import { fill, h, setAttribute, setText } from './dom/dom.ts';
import { makeHeader } from './frame/header.ts';
import { askForKey, lockedPage } from './frame/key-dialog.ts';
import { startTheme } from './look/theme.ts';
import { OverviewPage } from './overview/overview.ts';
import { OverviewFeed } from './overview/overview-feed.ts';
import { openReference } from './reference/open-reference.ts';
import { openSearch } from './search/open-search.ts';

startTheme();
const state = h('span', { class: 'connection', role: 'status' }, 'connecting');
const main = h('main', { tabindex: -1 });
const skip = h('button', { type: 'button', class: 'skip', onclick: () => main.focus() }, 'Skip to content');
const simulated = h('b', { class: 'simulated', hidden: '' }, 'simulated engine: answers mean nothing');
document.getElementById('app')!.append(skip, makeHeader(h('span', { class: 'states' }, state, simulated), '#/'), main);

let locked = false;

const feed = new OverviewFeed((connected) => {
  if (connected instanceof RequestError && connected.status === 401) return lock();
  const words = connected instanceof RequestError ? connected.message : 'not connected: what is shown is old';
  setText(state, connected === true ? 'live' : words);
  setAttribute(state, 'data-ok', connected === true ? 'yes' : 'no');
  setAttribute(main, 'data-old', connected === true ? 'no' : 'yes');
});

function lock(): void {
  locked = true;
  const enter = () => location.reload();
  setText(state, 'locked');
  setAttribute(state, 'data-ok', 'no');
  show();
  fill(main, lockedPage(enter));
  askForKey(enter);
}

let visit = new AbortController();

function show(): void {
  const [, place, id, other] = location.hash.split('/').map(decodeURIComponent);
  visit.abort();
  visit = new AbortController();
  if (locked) return;
  if (place === 'reference') {
    void openReference(main, visit.signal);
    return;
  }
  if (place === 'search' && id !== undefined) {
    void openSearch(main, id, feed, visit.signal);
    return;
  }
  if (place === 'compare' && id !== undefined && other !== undefined) {
    void openComparison(main, [id, other], visit.signal);
    return;
  }
  document.title = 'coppice';
  fill(main, new OverviewPage(feed, visit.signal).element);
}

addEventListener('hashchange', show);
show();
feed.onFrame(() => {
  simulated.hidden = !feed.last?.models.some(({ engine }) => engine === 'sim');
}, new AbortController().signal);
void feed.start();
