import { expect, test } from 'vitest';
import { planDefaults } from '../experiment/plan.ts';
import { measureAll } from '../experiment/runner.ts';
import { svgOf } from '../experiment/svg.ts';
import { printed } from '../experiment/table.ts';
import { runTrial } from '../sim/trial.ts';
import { edgeTrial, stageNames } from '../speculation/edge-cells.ts';
import type { GoodputLine } from '../speculation/goodput-report.ts';
import { p4 } from './p4.ts';

test('speculation raises the goodput of beam search on one small GPU, and no part changes an outcome', async () => {
  const place = { seed: 31, task: 'aime', pair: '7b+1.5b', beams: 16 } as const;
  const cells = stageNames.map((stage) => edgeTrial({ ...place, stage }, false, 2));
  const pool = { run: async (spec: (typeof cells)[number]['spec']) => runTrial(spec) };
  const plan = { ...planDefaults, seeds: [31], verifierReuses: false };
  const { found } = await measureAll({ ...p4, cells: () => cells }, plan, { pool });
  const { body, charts, data } = p4.report(found, plan);
  const { lines } = data as { lines: GoodputLine[] };
  expect(lines.map(({ stage }) => stage)).toEqual(stageNames);
  for (const { stage, gain, different, goodput } of lines) {
    expect(different).toBe(0);
    expect(goodput).toBeGreaterThan(0);
    if (/S/.test(stage)) expect(gain).toBeGreaterThan(1.3);
  }
  const [goodputs, stages, bounds] = body.map((block) => printed([block], 'markdown'));
  expect(goodputs!.split('\n')).toHaveLength(2 + stageNames.length - 1 + 1);
  expect(stages).toContain('| P+M+S |');
  expect(stages).toContain("| P+M+S over P4's baseline |");
  expect(bounds!.split('\n')).toHaveLength(2 + 4);
  const generating = (name: string) => lines.find(({ stage }) => stage === name)!.generating;
  expect(generating("P4's baseline")).toBeGreaterThan(0.9);
  expect(generating("P4's baseline")).toBeLessThan(1);
  expect(svgOf(charts![0]!.chart)).toContain('aime, 7b+1.5b');
});
