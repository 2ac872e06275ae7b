// Opens a search of the server, follows its log, and shows it. Events are shown once per frame, so that a fast search cannot outrun the
// page.

import type { LoggedEvent } from '@coppice/core/log';
import { cancelSearch, readSearch } from '../api/client.ts';
import { followLog } from '../api/search-log.ts';
import { fill, h } from '../dom/dom.ts';
import { FrameLoop } from '../dom/frame-loop.ts';
import type { OverviewFeed } from '../overview/overview-feed.ts';
import { exportRecording } from './recording.ts';
import { questionOf, SearchPage } from './search-view.ts';
import { sessionLine } from './session-line.ts';

export async function openSearch(
  main: HTMLElement,
  id: string,
  feed: OverviewFeed,
  signal: AbortSignal,
): Promise<void> {
  fill(main, h('p', { class: 'hint loading' }, 'Reading the search…'));
  try {
    await showSearch(main, id, feed, signal);
  } catch (error) {
    if (!signal.aborted)
      fill(
        main,
        h('p', { class: 'problem', role: 'alert' }, `This search cannot be shown: ${(error as Error).message}`),
      );
  }
}

async function showSearch(main: HTMLElement, id: string, feed: OverviewFeed, signal: AbortSignal): Promise<void> {
  let search = await readSearch(id);
  if (signal.aborted) return;
  const log: LoggedEvent[] = [];
  const complain = (error: Error) => page.setProblem(error.message);
  const cancel = h('button', { type: 'button', onclick: () => void cancelSearch(id).catch(complain) }, 'Cancel');
  const save = h('button', { type: 'button', onclick: () => void saveRecording().catch(complain) }, 'Export as HTML');
  cancel.hidden = search.ended_ms !== null;
  const page = new SearchPage({ signal, search, log, actions: [cancel, save] });
  document.title = `coppice: ${questionOf(search).slice(0, 80)}`;
  fill(main, sessionLine(search, signal), page.element);
  const hear = () => page.setListed(feed.last?.searches.listed.find((each) => each.id === id));
  if (search.ended_ms === null) feed.onFrame(hear, signal);

  async function saveRecording(): Promise<void> {
    const { template } = await import('virtual:replay-template');
    download(`coppice-${id}.html`, exportRecording(template, search, log));
  }

  const loop = new FrameLoop(() => {
    page.update();
    return false;
  });
  signal.addEventListener('abort', () => loop.stop());
  await followLog({
    id,
    log,
    signal,
    onState: (state) => page.setProblem(state === true ? undefined : `The log cannot be read: ${state.message}`),
    onGrown: () => loop.request(),
  });
  if (signal.aborted) return;
  search = await readSearch(id);
  cancel.hidden = true;
  page.setSearch(search);
}

function download(name: string, html: string): void {
  const url = URL.createObjectURL(new Blob([html], { type: 'text/html' }));
  const link = h('a', { href: url, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
