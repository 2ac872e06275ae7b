// Shows two searches side by side: a table of settings, ends and costs, and both trees. Follows both logs, so that growing searches can be
// compared too.

import { readSearch } from '../api/client.ts';
import { followLog } from '../api/search-log.ts';
import { fill, h } from '../dom/dom.ts';
import { FrameLoop } from '../dom/frame-loop.ts';
import { makeLegend } from '../search/panels/legend.ts';
import { ComparedView } from './compared-view.ts';
import { type ComparisonRow, compare } from './comparison.ts';

export async function openComparison(
  main: HTMLElement,
  ids: readonly [string, string],
  signal: AbortSignal,
): Promise<void> {
  fill(main, h('p', { class: 'hint loading' }, 'Reading the searches…'));
  document.title = 'coppice: two searches';
  try {
    const [first, second] = await Promise.all([readSearch(ids[0]), readSearch(ids[1])]);
    if (!signal.aborted) show(main, [new ComparedView(first, signal), new ComparedView(second, signal)], signal);
  } catch (error) {
    const words = `These searches cannot be compared: ${(error as Error).message}`;
    if (!signal.aborted) fill(main, h('p', { class: 'problem', role: 'alert' }, words));
  }
}

function show(main: HTMLElement, views: readonly [ComparedView, ComparedView], signal: AbortSignal): void {
  const rows = h('tbody', {});
  const problem = h('p', { class: 'problem', role: 'alert', hidden: true });
  const update = () => {
    fill(rows, ...compare(views[0].compared, views[1].compared).map(tableRow));
    for (const view of views) view.update();
    return false;
  };
  const loop = new FrameLoop(update);
  signal.addEventListener('abort', () => loop.stop());
  fill(
    main,
    h(
      'article',
      { class: 'comparison' },
      h('h1', {}, 'Two searches'),
      problem,
      h('div', { class: 'panel table-box' }, h('table', {}, tableHead(), rows)),
      makeLegend(signal),
      h('div', { class: 'contenders' }, ...views.map(({ element }) => element)),
    ),
  );
  const complain = (state: true | Error) => {
    problem.hidden = state === true;
    problem.textContent = state === true ? '' : `A log cannot be read: ${state.message}`;
  };
  for (const view of views) void followView(view, signal, loop, complain);
  update();
}

async function followView(
  view: ComparedView,
  signal: AbortSignal,
  loop: FrameLoop,
  onState: (state: true | Error) => void,
): Promise<void> {
  const { id } = view.search;
  await followLog({ id, log: view.log, signal, onState, onGrown: () => loop.request() });
  if (signal.aborted) return;
  view.search = await readSearch(id).catch(() => view.search);
  loop.request();
}

function tableHead(): HTMLElement {
  const names = ['', 'first', 'second', 'second over first'];
  return h('thead', {}, h('tr', {}, ...names.map((name) => h('th', { scope: 'col' }, name))));
}

function tableRow({ name, values, ratio }: ComparisonRow): HTMLElement {
  const cells = [...values, ratio].map((value) => h('td', {}, value));
  const differs = values[0] === values[1] ? 'no' : 'yes';
  return h('tr', { 'data-differs': differs }, h('th', { scope: 'row' }, name), ...cells);
}
