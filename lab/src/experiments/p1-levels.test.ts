import { expect, it } from 'vitest';
import { planDefaults } from '../experiment/plan.ts';
import { measureAll } from '../experiment/runner.ts';
import { printed } from '../experiment/table.ts';
import type { Served } from '../service/index.ts';
import { orderRows } from '../service-levels/workloads.ts';
import type { TrialResult, TrialSpec } from '../sim/trial.ts';
import { p1Levels } from './p1-levels.ts';

const capacity = 2;
/** Loads up to which each order keeps everything; above, no search is in time. */
const mostOf: Readonly<Record<string, number>> = { fcfs: 0.75, 'longest-prefix': 1, gang: 1.1, sjf: 2.2 };

/** Ten searches that take a second each, a minute where the order is past its load. */
function resultOf({ arrivals, contender, work }: TrialSpec): TrialResult {
  const order = 'knobs' in contender ? String(contender.knobs?.order) : '';
  const load = arrivals.kind === 'rate' ? arrivals.perSecond / capacity : 0;
  const tookMs = load > mostOf[order]! ? 60_000 : 1000;
  const served = Array.from({ length: 10 }, (): Served => {
    const times = { arrivalMs: 0, admittedMs: 0, endedMs: tookMs };
    return { ...times, tokens: 100, rollouts: 1, correct: true, exit: 'exhausted', difficulty: 1 };
  });
  const ranks = work?.use === 'judged' ? { workRanks: [0, 0.5, 1, 1] } : {};
  return { served, saturatedTokensPerSecond: 100 * capacity, ...ranks } as unknown as TrialResult;
}

it('drives every row up to where it keeps no deadline, and reads all where tightness is read', async () => {
  const asked: TrialSpec[] = [];
  const run = async (spec: TrialSpec) => {
    asked.push(spec);
    return resultOf(spec);
  };
  const chosen = { settings: ['math500/8b'], seeds: [1, 2], requests: 10, rows: ['self-consistency'] } as const;
  const plan = { ...planDefaults, ...chosen };
  const { found } = await measureAll(p1Levels, plan, { pool: { run } });
  const cells = found.map(({ result }) => result);
  const { body, charts } = p1Levels.report(found, plan);
  expect(cells.map(({ row, seed }) => `${row} ${seed}`)).toEqual(
    [1, 2].flatMap((seed) => orderRows.map((row) => `${row} ${seed}`)),
  );
  const loadsOf = (row: string) => cells.find((cell) => cell.row === row)!.attained.map(({ load }) => load);
  expect(loadsOf('fcfs')).toEqual([0.7, 0.85, 1.2]);
  expect(loadsOf('longest-prefix')).toEqual([0.7, 0.85, 1, 1.2]);
  expect(loadsOf('gang + sjf')).toEqual([0.7, 0.85, 1, 1.2, 1.45, 1.75, 2.1, 2.5]);
  // Straight between 1 (all) and 1.2 (none): 90 % at 1.02.
  expect(cells.find(({ row }) => row === 'longest-prefix')!.loadAt[1]).toBeCloseTo(1.02, 9);
  expect(asked.filter(({ work }) => work?.use === 'known')).toHaveLength(2 * 8);
  const tables = printed(body, 'markdown');
  expect(tables).toContain('| gang + sjf | 2.14 ± 0.00 |');
  expect(tables).toContain('0.00, 0.50, 1.00, 1.00 after 1, 5, 20, 60 steps');
  expect(charts?.map(({ name }) => name)).toEqual(['p1-levels-self-consistency', 'p1-tightness-self-consistency']);
});
