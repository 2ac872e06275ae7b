import { expect, test } from 'vitest';
import { TrialPool } from '../sim/trial-pool.ts';
import { goodputLines, stageNames, wholePlan } from './p4.ts';
import { boundTable, goodputChart, goodputTable, stageTable } from './p4-report.ts';

test('speculation raises the goodput of beam search on one small GPU, and no part changes an outcome', async () => {
  const pool = new TrialPool({ threads: 1 });
  const plan = { ...wholePlan, tasks: ['aime'], pairs: ['7b+1.5b'], beams: [16], questions: () => 2 } as const;
  const lines = await goodputLines({ ...plan, seeds: [31], verifierReuses: false }, pool);
  expect(lines.map(({ stage }) => stage)).toEqual(stageNames);
  for (const { stage, gain, different, goodput } of lines) {
    expect(different).toBe(0);
    expect(goodput).toBeGreaterThan(0);
    if (/S/.test(stage)) expect(gain).toBeGreaterThan(1.3);
  }
  expect(goodputTable(lines).split('\n')).toHaveLength(2 + stageNames.length - 1 + 3);
  expect(stageTable(lines)).toContain('| P+M+S |');
  expect(stageTable(lines)).toContain("| P+M+S over P4's baseline |");
  expect(boundTable(lines).split('\n')).toHaveLength(2 + 4);
  const generating = (name: string) => lines.find(({ stage }) => stage === name)!.generating;
  expect(generating("P4's baseline")).toBeGreaterThan(0.9);
  expect(generating("P4's baseline")).toBeLessThan(1);
  expect(goodputChart(lines, 'note').svg).toContain('aime, 7b+1.5b');
  await pool.close();
});
