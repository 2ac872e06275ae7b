// Shows latency, throughput and exits of ended searches over a range that the reader chooses, from the journal: of all nodes, and of the
// time before a restart too. A disclosure holds the numbers as a table.

import type {
  HistoryBucketJson,
  HistoryJson,
  HistoryKindJson,
  HistoryRange,
} from '../../../../src/wire/history-json.ts';
import type { OverviewJson } from '../../../../src/wire/overview-json.ts';
import { readHistory } from '../../api/client.ts';
import { fill, h, setText } from '../../dom/dom.ts';
import { term } from '../../dom/term.ts';
import { exitLooks } from '../../look/exits.ts';
import { formatAgo, formatCount, formatDuration, formatMoment } from '../../look/words.ts';
import { ExitList } from './exit-list.ts';
import { BarChart } from './history-chart.ts';

const ranges: readonly (readonly [HistoryRange, string])[] = [
  ['15m', '15 min'],
  ['1h', '1 h'],
  ['6h', '6 h'],
  ['24h', '24 h'],
  ['7d', '7 days'],
  ['30d', '30 days'],
];
const keptName = 'coppice.range';
const pauseMs = 2000;
const staleMs = 15_000;
const dayMs = 86_400_000;

export class HistoryPanel {
  readonly element: HTMLElement;
  readonly #signal: AbortSignal;
  readonly #latency = new BarChart({ label: 'Latency over time: p50 before p99', kind: 'nested' });
  readonly #throughput = new BarChart({ label: 'Searches that ended, over time', kind: 'nested' });
  readonly #mix = new BarChart({ label: 'Shares of the exits over time', kind: 'stacked' });
  readonly #exits = new ExitList();
  readonly #p50 = h('b', {}, '–');
  readonly #p99 = h('b', {}, '–');
  readonly #rate = h('b', {}, '–');
  readonly #pace = h('b', {}, '–');
  readonly #note = h('p', { class: 'hint', role: 'status' });
  readonly #rows = h('tbody', {});
  readonly #table = h(
    'details',
    { class: 'numbers' },
    h('summary', {}, 'Numbers as a table'),
    tableOf('History', bucketNames, this.#rows),
  );
  readonly #kinds = h('tbody', {});
  readonly #shown = h(
    'details',
    { class: 'numbers' },
    h('summary', {}, 'What each model has shown'),
    tableOf('Models', kindNames(), this.#kinds),
  );
  #range: HistoryRange = keptRange();
  #ended = -1;
  #readMs = Number.NEGATIVE_INFINITY;
  #visit = 0;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
    const small = (words: string | HTMLElement) => h('small', {}, words);
    const figure = (...content: (HTMLElement | string)[]) => h('p', { class: 'value' }, ...content);
    this.element = h(
      'section',
      { class: 'panel history', 'aria-label': 'Over time' },
      h(
        'div',
        { class: 'list-head' },
        h('h2', {}, 'Over time', small('searches that have ended, all nodes')),
        this.#choice(),
      ),
      h(
        'div',
        { class: 'history-charts' },
        h(
          'div',
          {},
          h('h3', {}, 'Latency'),
          h('div', { class: 'pair' }, figure(this.#p50, small('p50')), figure(this.#p99, small(term('p99')))),
          this.#latency.element,
        ),
        h(
          'div',
          {},
          h('h3', {}, 'Throughput'),
          h('div', { class: 'pair' }, figure(this.#rate, small('searches/min')), figure(this.#pace, small('tokens/s'))),
          this.#throughput.element,
        ),
        h('div', {}, h('h3', {}, 'Exits'), this.#exits.element, this.#mix.element),
      ),
      this.#note,
      this.#table,
      this.#shown,
    );
  }

  update({ ended, at_ms }: OverviewJson): void {
    if (at_ms - this.#readMs < (ended === this.#ended ? staleMs : pauseMs)) return;
    this.#ended = ended;
    this.#readMs = at_ms;
    void this.#read();
  }

  #choice(): HTMLElement {
    const options = ranges.map(([range, words]) => {
      const box = h('input', { type: 'radio', name: 'range', value: range, checked: range === this.#range });
      box.addEventListener('change', () => this.#choose(range));
      return h('label', {}, box, h('span', {}, words));
    });
    return h('div', { class: 'segments', role: 'radiogroup', 'aria-label': 'Range' }, ...options);
  }

  #choose(range: HistoryRange): void {
    this.#range = range;
    try {
      localStorage.setItem(keptName, range);
    } catch {
      // Without storage the choice lasts as long as the page.
    }
    void this.#read();
  }

  async #read(): Promise<void> {
    this.#visit += 1;
    const visit = this.#visit;
    const history = await readHistory(this.#range).catch((error: Error) => error);
    if (this.#signal.aborted || visit !== this.#visit) return;
    if (history instanceof Error) setText(this.#note, `The history cannot be read: ${history.message}`);
    else this.#show(history);
  }

  #show(history: HistoryJson): void {
    const { total, from_ms, to_ms, complete } = history;
    const spanMs = to_ms - from_ms;
    this.#showTotals(history, spanMs);
    this.#showBars(history, spanMs);
    this.#showTables(history, spanMs);
    const none = total.searches === 0 ? 'No search has ended in this time.' : '';
    setText(
      this.#note,
      complete ? none : `Only the last ${formatCount(total.searches)} searches of this time are counted.`,
    );
    this.#note.hidden = this.#note.textContent === '';
  }

  #showTotals({ total }: HistoryJson, spanMs: number): void {
    setText(this.#p50, total.p50_ms === null ? '–' : formatDuration(total.p50_ms));
    setText(this.#p99, total.p99_ms === null ? '–' : formatDuration(total.p99_ms));
    setText(this.#rate, perMinute(total.searches, spanMs));
    setText(this.#pace, formatRate((total.tokens * 1000) / Math.max(1, spanMs)));
    this.#exits.update(total.exits);
  }

  #showBars({ total, buckets, bucket_ms }: HistoryJson, spanMs: number): void {
    const shownMs = buckets.length * bucket_ms;
    const ago = [formatAgo(shownMs), formatAgo(shownMs / 2)] as const;
    const wordsOf = (bucket: HistoryBucketJson, words: string) =>
      `${formatMoment(bucket.from_ms, spanMs > dayMs / 2)}: ${words}`;
    const slowest = Math.max(1, ...buckets.map(({ p99_ms }) => p99_ms ?? 0));
    this.#latency.show(
      buckets.map((bucket) => ({ parts: latencyOf(bucket), words: wordsOf(bucket, latencyWords(bucket)) })),
      slowest,
      { top: total.searches === 0 ? '' : formatDuration(slowest), ago, otherwise: 'dark: p50, light: p99' },
    );
    const busiest = Math.max(1, ...buckets.map(({ searches }) => searches));
    const top = total.searches === 0 ? '' : `${perMinute(busiest, bucket_ms)}/min`;
    this.#throughput.show(
      buckets.map((bucket) => ({ parts: workOf(bucket), words: wordsOf(bucket, workWords(bucket)) })),
      busiest,
      { top, ago, otherwise: `${workWords(total)} generated` },
    );
    this.#mix.show(
      buckets.map((bucket) => ({ parts: mixOf(bucket), words: wordsOf(bucket, exitWords(bucket)) })),
      1,
      { top: '', ago, otherwise: 'share of each exit' },
    );
  }

  #showTables({ buckets, kinds }: HistoryJson, spanMs: number): void {
    const busy = buckets.filter(({ searches }) => searches > 0).toReversed();
    fill(this.#rows, ...busy.map((bucket) => tableRow(bucket, spanMs > dayMs / 2)));
    fill(this.#kinds, ...kinds.map(kindRow));
    this.#shown.hidden = kinds.length === 0;
  }
}

function perMinute(count: number, ms: number): string {
  return formatRate((count * 60_000) / Math.max(1, ms));
}

function latencyOf({ p50_ms, p99_ms }: HistoryBucketJson): { look: string; value: number }[] {
  return [
    { look: 'bar-p99', value: p99_ms ?? 0 },
    { look: 'bar-p50', value: p50_ms ?? 0 },
  ];
}

function workOf({ searches }: HistoryBucketJson): { look: string; value: number }[] {
  return [{ look: 'bar-count', value: searches }];
}

/** Two figures for small values: most servers have less than one search a minute. */
function formatRate(rate: number): string {
  return rate === 0 ? '0' : rate < 10 ? String(Number(rate.toPrecision(2))) : formatCount(rate);
}

function mixOf({ exits, searches }: HistoryBucketJson): { look: string; value: number }[] {
  return exitLooks.map(({ kind }) => ({ look: `bar-${kind}`, value: (exits[kind] ?? 0) / Math.max(1, searches) }));
}

function latencyWords({ p50_ms, p99_ms }: HistoryBucketJson): string {
  return p50_ms === null || p99_ms === null
    ? 'none ended'
    : `p50 ${formatDuration(p50_ms)}, p99 ${formatDuration(p99_ms)}`;
}

function workWords({ searches, tokens }: Pick<HistoryBucketJson, 'searches' | 'tokens'>): string {
  return `${formatCount(searches)} ${searches === 1 ? 'search' : 'searches'}, ${formatCount(tokens)} tokens`;
}

function exitWords({ exits }: HistoryBucketJson): string {
  const counted = exitLooks.filter(({ kind }) => (exits[kind] ?? 0) > 0);
  return counted.length === 0 ? 'none ended' : counted.map(({ kind }) => `${kind} ${exits[kind]}`).join(', ');
}

const bucketNames = ['from', 'searches', 'p50', 'p99', 'tokens', 'exits'];
const kindNames = () => ['model', 'program', 'searches', term('rollout', 'rollouts'), 'judge agrees'];

function tableOf(label: string, names: readonly (string | HTMLElement)[], rows: HTMLElement): HTMLElement {
  const head = h('thead', {}, h('tr', {}, ...names.map((name) => h('th', { scope: 'col' }, name))));
  return h(
    'div',
    { class: 'table-scroll', tabindex: 0, role: 'region', 'aria-label': label },
    h('table', {}, head, rows),
  );
}

function tableRow(bucket: HistoryBucketJson, withDay: boolean): HTMLElement {
  const { from_ms, searches, p50_ms, p99_ms, tokens } = bucket;
  const cells = [formatCount(searches), formatDuration(p50_ms ?? 0), formatDuration(p99_ms ?? 0), formatCount(tokens)];
  const values = [...cells, exitWords(bucket)].map((cell) => h('td', {}, cell));
  return h('tr', {}, h('th', { scope: 'row' }, formatMoment(from_ms, withDay)), ...values);
}

function kindRow(kind: HistoryKindJson): HTMLElement {
  const { model, program, searches, rollouts, judge_agreement: agreement, split_questions: split } = kind;
  const agrees = agreement === null ? '–' : `${(100 * agreement).toFixed(0)} % (${formatCount(split)} questions)`;
  const values = [program, formatCount(searches), rollouts.toFixed(1), agrees].map((cell) => h('td', {}, cell));
  return h('tr', {}, h('th', { scope: 'row' }, model), ...values);
}

function keptRange(): HistoryRange {
  try {
    const kept = localStorage.getItem(keptName);
    return ranges.find(([range]) => range === kept)?.[0] ?? '1h';
  } catch {
    return '1h';
  }
}
