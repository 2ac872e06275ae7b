import { describe, expect, it } from 'vitest';
import { type Chart, svgOf } from './svg.ts';

const chart: Chart = {
  title: 'a < b & "c"',
  note: 'Simulated.',
  columns: 2,
  panels: [
    {
      title: 'lines',
      xLabel: 'x',
      yLabel: 'y',
      logarithmic: true,
      series: [
        {
          name: 'one',
          colour: 0,
          points: [
            [1, 10],
            [2, 100],
            [4, 1000],
          ],
        },
        { name: 'two', colour: 1, points: [[1, 5]], dashed: true },
      ],
    },
    {
      title: 'bars',
      xLabel: '',
      yLabel: 'y',
      categories: ['p', 'q'],
      series: [
        {
          name: 'one',
          colour: 0,
          points: [
            [0, 3],
            [1, 4],
          ],
        },
      ],
    },
  ],
};

describe('charts', () => {
  const svg = svgOf(chart);

  it('escape what they are given, name each series once and follow the reader’s colour scheme', () => {
    expect(svg).toContain('a &lt; b &amp; &quot;c&quot;');
    expect(svg.match(/>one</g)).toHaveLength(1);
    expect(svg).toContain('prefers-color-scheme:dark');
  });

  it('contain only finite coordinates inside the picture', () => {
    expect(svg).not.toMatch(/NaN|Infinity|undefined/);
    const [, width, height] = /viewBox="0 0 (\d+) (\d+)"/.exec(svg)!;
    for (const [, x, y] of svg.matchAll(/<circle[^>]* cx="([\d.-]+)" cy="([\d.-]+)"/g)) {
      expect(Number(x)).toBeGreaterThanOrEqual(0);
      expect(Number(x)).toBeLessThanOrEqual(Number(width));
      expect(Number(y)).toBeGreaterThanOrEqual(0);
      expect(Number(y)).toBeLessThanOrEqual(Number(height));
    }
  });

  it('spread values that are near each other where a panel is zoomed', () => {
    const points = [
      [1, 70],
      [2, 71],
    ] as const;
    const panel = { title: '', xLabel: '', yLabel: '', series: [{ name: 'one', colour: 0, points }] };
    const apart = (zoomed: boolean) => {
      const drawn = svgOf({ ...chart, panels: [{ ...panel, zoomed }] });
      const [low, high] = [...drawn.matchAll(/cy="([\d.]+)"/g)].map(([, y]) => Number(y));
      return low! - high!;
    };
    expect(apart(false)).toBeLessThan(5);
    expect(apart(true)).toBeGreaterThan(100);
  });

  it('draw the highest bar above the lower one', () => {
    const tops = [...svg.matchAll(/<rect class="f0" x="[\d.]+" y="([\d.]+)"/g)].map(([, y]) => Number(y));
    expect(tops[1]).toBeLessThan(tops[0]!);
  });

  it('write figures above bars only where all of them fit', () => {
    const figures = /font-size:10px">3</;
    expect(svg).toMatch(figures);
    const crowded = { ...chart.panels[1]!, categories: Array.from({ length: 60 }, (_, at) => `${at}`) };
    expect(svgOf({ ...chart, panels: [crowded] })).not.toMatch(figures);
  });
});
