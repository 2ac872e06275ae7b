import { describe, expect, it } from 'vitest';
import { printed } from '../experiment/table.ts';
import { lineTable } from '../experiments/comparison.ts';
import type { Cell } from './comparison.ts';
import { linesOf } from './report.ts';

function cell(setting: Cell['setting'], seed: number, row: string, factor: number): Cell {
  const right = row === 'vanilla' ? '1100' : '1110';
  const own = {
    tokens: 1000 * factor,
    rollouts: 4,
    accuracy: 70 + seed,
    right,
    exits: { accepted: 60, exhausted: 40 },
  };
  const times = { p50Ms: 1000 * factor, p90Ms: 4000 * factor, p99Ms: 8000 * factor, throughputPerSecond: 2 / factor };
  return {
    setting,
    seed,
    row,
    capacity: 1 / factor,
    clairvoyant: 4,
    yield: own,
    loads: [{ load: '1p', perSecond: 1, yield: own, ...times }],
  };
}

describe('the report of a comparison', () => {
  const cells = [1, 2].flatMap((seed) => [
    cell('math500/8b', seed, 'vanilla', 4),
    cell('math500/8b', seed, 'positive', 2),
    cell('amc23/8b', seed, 'vanilla', 9),
    cell('amc23/8b', seed, 'positive', 1),
  ]);
  const lines = linesOf(cells, 'positive');
  const positive = lines.find(({ row, load }) => row === 'positive' && load === '1p')!;
  const vanilla = lines.find(({ row, load }) => row === 'vanilla' && load === '1p')!;

  it('makes ratios per setting and seed and averages them as ratios', () => {
    expect(positive.againstVanilla?.p99?.value).toBeCloseTo(Math.sqrt(2 * 9));
    expect(positive.againstVanilla?.capacity.value).toBeCloseTo(Math.sqrt(2 * 9));
    expect(positive.againstVanilla?.tokens.half).toBeCloseTo(0);
    expect(vanilla.againstBase?.p99?.value).toBeCloseTo(1 / Math.sqrt(2 * 9));
    expect(vanilla.againstVanilla?.p50?.value).toBe(1);
  });

  it('averages values over settings, with the interval of the seeds', () => {
    expect(vanilla.p50Seconds?.value).toBeCloseTo(6);
    expect(vanilla.accuracy.value).toBeCloseTo(71.5);
    // Two settings of two seeds, each 71 and 72: pooled variance 0.5, two degrees of freedom, four values.
    expect(vanilla.accuracy.half).toBeCloseTo(4.303 * Math.sqrt(0.5 / 4), 3);
    expect(vanilla.exits).toEqual([60, 0, 0, 40]);
  });

  it('pairs accuracy question by question', () => {
    // One question in four is gained in every cell: pooled variance 100² · 3 / 14, 16 pairs in two settings.
    expect(positive.againstVanilla?.accuracyPoints.value).toBe(25);
    expect(positive.againstVanilla?.accuracyPoints.half).toBeCloseTo(2.145 * 100 * Math.sqrt(3 / 14 / 16), 1);
    expect(vanilla.againstVanilla?.accuracyPoints).toEqual({ value: 0, half: 0 });
  });

  it('says nothing of latency where all requests came at once', () => {
    const backlog = lines.find(({ row, load }) => row === 'positive' && load === 'backlog')!;
    expect(backlog.p99Seconds).toBeUndefined();
    expect(backlog.capacity.value).toBeCloseTo(Math.SQRT1_2);
  });

  it('prints one line per policy and load, all of them aligned', () => {
    const text = printed([lineTable(lines)], 'text').split('\n');
    expect(text.filter((line) => line.startsWith('positive'))).toHaveLength(2);
    const ends = text.filter((line) => /^(policy|vanilla|positive)/.test(line)).map((line) => line.length);
    expect(new Set(ends).size).toBe(1);
  });
});
