// The page inside an exported file: a recorded search, no server, no network.

import './style/main.css';
import { h } from './dom/dom.ts';
import { makeHeader } from './frame/header.ts';
import { startTheme } from './look/theme.ts';
import { readRecording } from './search/recording.ts';
import { questionOf, SearchPage } from './search/search-view.ts';

const intro =
  'A recorded search: a language model tried several lines of reasoning to answer this question; each path of the tree is one, coloured by its score.';

startTheme();
const app = document.getElementById('app')!;
const { signal } = new AbortController();
try {
  const { search, log } = readRecording(document.getElementById('recording')?.textContent ?? 'null');
  document.title = `coppice: ${questionOf(search).slice(0, 80)}`;
  const recorded = new Date(search.created_ms).toISOString().replace('T', ' ').slice(0, 16);
  const note = h('span', { class: 'note' }, `recorded ${recorded} UTC`);
  app.append(
    makeHeader(note, undefined),
    h('main', {}, h('p', { class: 'intro' }, intro), new SearchPage({ signal, search, log, actions: [] }).element),
  );
} catch (error) {
  app.append(h('p', { class: 'problem', role: 'alert' }, `This recording cannot be shown: ${String(error)}`));
}
