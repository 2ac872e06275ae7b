// A small writer of charts: panels side by side, each with lines or grouped bars, axes, a grid and one legend. Readable
// on light and on dark pages: colours come from a style block that follows the reader's scheme.

export interface Series {
  readonly name: string;
  /** Which of the eight colours. */
  readonly colour: number;
  readonly points: readonly (readonly [x: number, y: number])[];
  readonly dashed?: boolean;
}

export interface Panel {
  readonly title: string;
  readonly xLabel: string;
  readonly yLabel: string;
  readonly series: readonly Series[];
  readonly logarithmic?: boolean;
  /** The y axis begins below the least value instead of at 0. */
  readonly zoomed?: boolean;
  /** Names instead of numbers below the x axis: bars are drawn, grouped by x. */
  readonly categories?: readonly string[];
}

export interface Chart {
  readonly title: string;
  readonly note: string;
  readonly panels: readonly Panel[];
  readonly columns: number;
}

const size = { width: 380, height: 270, left: 58, right: 14, top: 34, bottom: 46, head: 44, foot: 34, legendLine: 16 };
const light = ['#1f77b4', '#d62728', '#2ca02c', '#9467bd', '#e08214', '#17becf', '#8c564b', '#7f7f7f'];
const dark = ['#6baed6', '#ff6b6b', '#74c476', '#b497d6', '#fdae61', '#5fd3dc', '#c49c94', '#bdbdbd'];

export function svgOf(chart: Chart): string {
  const columns = Math.min(chart.columns, chart.panels.length);
  const rows = Math.ceil(chart.panels.length / columns);
  const width = columns * size.width;
  const legend = legendOf(chart, width);
  const height = size.head + rows * size.height + legend.height + size.foot;
  const panels = chart.panels.map((panel, at) => {
    const x = (at % columns) * size.width;
    const y = size.head + Math.floor(at / columns) * size.height;
    return `<g transform="translate(${x} ${y})">${panelOf(panel)}</g>`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escaped(chart.title)}">`,
    `<style>${styleText()}</style>`,
    `<rect class="page" width="${width}" height="${height}"/>`,
    `<text class="title" x="16" y="26">${escaped(chart.title)}</text>`,
    ...panels,
    `<g transform="translate(0 ${height - size.foot - legend.height})">${legend.text}</g>`,
    `<text class="note" x="16" y="${height - 10}">${escaped(chart.note)}</text>`,
    '</svg>',
    '',
  ].join('\n');
}

function styleText(): string {
  const colours = (each: readonly string[]) =>
    each.map((colour, at) => `.s${at}{stroke:${colour}}.f${at}{fill:${colour}}`).join('');
  return [
    'text{font:12px system-ui,sans-serif;fill:#222}.title{font-size:15px;font-weight:600}.note{font-size:11px;fill:#555}',
    '.panel{font-weight:600}.page{fill:#fff}.grid{stroke:#ddd}.axis{stroke:#888}',
    'path{fill:none;stroke-width:2}.dash{stroke-dasharray:5 4}',
    colours(light),
    '@media(prefers-color-scheme:dark){text{fill:#e6e6e6}.note{fill:#aaa}.page{fill:#16181d}.grid{stroke:#333}',
    `.axis{stroke:#777}${colours(dark)}}`,
  ].join('');
}

function panelOf(panel: Panel): string {
  const x = xScale(panel);
  const y = yScale(panel);
  const { left, top, width, height, right, bottom } = size;
  const floor = height - bottom;
  const parts = [
    `<text class="panel" x="${left}" y="${top - 12}">${escaped(panel.title)}</text>`,
    `<text x="${(left + width - right) / 2}" y="${height - 10}" text-anchor="middle">${escaped(panel.xLabel)}</text>`,
    `<text transform="translate(14 ${(top + floor) / 2}) rotate(-90)" text-anchor="middle">${escaped(panel.yLabel)}</text>`,
  ];
  for (const tick of y.ticks) {
    parts.push(`<line class="grid" x1="${left}" x2="${width - right}" y1="${n(y.at(tick))}" y2="${n(y.at(tick))}"/>`);
    parts.push(`<text x="${left - 6}" y="${n(y.at(tick) + 4)}" text-anchor="end">${label(tick)}</text>`);
  }
  x.ticks.forEach((tick, at) => {
    const text = panel.categories?.[at] ?? label(tick);
    parts.push(`<text x="${n(x.at(tick))}" y="${floor + 16}" text-anchor="middle">${escaped(text)}</text>`);
  });
  parts.push(`<line class="axis" x1="${left}" x2="${width - right}" y1="${floor}" y2="${floor}"/>`);
  parts.push(...(panel.categories === undefined ? linesOf(panel, x, y) : barsOf(panel, x, y, floor)));
  return parts.join('\n');
}

interface Scale {
  readonly ticks: readonly number[];
  at(value: number): number;
}

function xScale({ series, categories }: Panel): Scale {
  const from = size.left + 8;
  const to = size.width - size.right - 8;
  if (categories !== undefined) {
    const slot = (to - from) / categories.length;
    return { ticks: categories.map((_, at) => at), at: (value) => from + (value + 0.5) * slot };
  }
  const values = series.flatMap(({ points }) => points.map(([x]) => x));
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const span = high > low ? high - low : 1;
  return { ticks: ticksBetween(low, high), at: (value) => from + ((value - low) / span) * (to - from) };
}

function yScale({ series, logarithmic, zoomed }: Panel): Scale {
  const values = series.flatMap(({ points }) => points.map(([, y]) => y));
  const most = Math.max(...values, 1e-9);
  const [bottom, top] = [size.height - size.bottom, size.top];
  if (logarithmic === true) {
    const [low, high] = [Math.log10(Math.min(...values)) - 0.05, Math.log10(most) + 0.05];
    const ticks = logarithmicTicks(low, high);
    return { ticks, at: (value) => bottom - ((Math.log10(value) - low) / (high - low)) * (bottom - top) };
  }
  const least = Math.min(...values);
  const margin = zoomed === true ? 0.1 * Math.max(most - least, 0.01 * most) : 0.05 * most;
  const low = zoomed === true ? least - margin : 0;
  const ticks = ticksBetween(low, most + 0.4 * margin);
  const high = Math.max(most + margin, ticks.at(-1) ?? most);
  return { ticks, at: (value) => bottom - ((value - low) / (high - low)) * (bottom - top) };
}

function linesOf({ series }: Panel, x: Scale, y: Scale): string[] {
  return series.flatMap(({ points, colour, dashed }) => {
    const path = points.map(([px, py], at) => `${at === 0 ? 'M' : 'L'}${n(x.at(px))} ${n(y.at(py))}`).join('');
    const dots = points.map(
      ([px, py]) => `<circle class="f${colour}" cx="${n(x.at(px))}" cy="${n(y.at(py))}" r="2.5"/>`,
    );
    return [`<path class="s${colour}${dashed ? ' dash' : ''}" d="${path}"/>`, ...dots];
  });
}

/** Of a figure above a bar. */
const digitWidth = 5.5;

function barsOf({ series, categories }: Panel, x: Scale, y: Scale, floor: number): string[] {
  const slot = (size.width - size.left - size.right - 16) / (categories?.length ?? 1);
  const width = (slot * 0.8) / series.length;
  const longest = Math.max(...series.flatMap(({ points }) => points.map(([, py]) => label(py).length)));
  const hasRoom = longest * digitWidth <= width;
  return series.flatMap(({ points, colour }, at) =>
    points.flatMap(([px, py]) => {
      const left = x.at(px) - (series.length * width) / 2 + at * width;
      const top = y.at(py);
      const bar = `<rect class="f${colour}" x="${n(left)}" y="${n(top)}" width="${n(width * 0.9)}" height="${n(floor - top)}"/>`;
      if (!hasRoom) return [bar];
      const place = `x="${n(left + width * 0.45)}" y="${n(top - 4)}"`;
      return [bar, `<text ${place} text-anchor="middle" style="font-size:10px">${label(py)}</text>`];
    }),
  );
}

/** Entries in lines as wide as the picture, each with a piece of its line. */
function legendOf(chart: Chart, width: number): { readonly text: string; readonly height: number } {
  const entries = new Map(chart.panels.flatMap(({ series }) => series.map((each) => [each.name, each] as const)));
  let x = 16;
  let y = size.legendLine;
  const parts: string[] = [];
  for (const { name, colour, dashed } of entries.values()) {
    const needed = 40 + name.length * 7;
    if (x + needed > width) {
      x = 16;
      y += size.legendLine;
    }
    parts.push(`<path class="s${colour}${dashed ? ' dash' : ''}" d="M${n(x)} ${y - 4}h20"/>`);
    parts.push(`<text x="${n(x + 25)}" y="${y}">${escaped(name)}</text>`);
    x += needed;
  }
  return { text: parts.join('\n'), height: y };
}

function ticksBetween(low: number, high: number): number[] {
  const span = high - low || 1;
  const rough = 10 ** Math.floor(Math.log10(span / 4));
  const step = [1, 2, 2.5, 5, 10].map((factor) => factor * rough).find((each) => span / each <= 5) ?? rough * 10;
  const ticks: number[] = [];
  for (let at = Math.ceil(low / step - 1e-9); at * step <= high * (1 + 1e-9); at += 1)
    ticks.push(Number((at * step).toPrecision(10)));
  return ticks;
}

function logarithmicTicks(low: number, high: number): number[] {
  const ticks: number[] = [];
  for (let power = Math.floor(low); power <= Math.ceil(high); power += 1) {
    for (const factor of [1, 2, 5]) {
      const tick = factor * 10 ** power;
      if (Math.log10(tick) >= low && Math.log10(tick) <= high) ticks.push(Number(tick.toPrecision(6)));
    }
  }
  return ticks;
}

function label(value: number): string {
  if (value !== 0 && Math.abs(value) >= 10000) return `${Number((value / 1000).toPrecision(3))}k`;
  return String(Number(value.toPrecision(3)));
}

function n(value: number): string {
  return String(Math.round(value * 10) / 10);
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
