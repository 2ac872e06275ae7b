import { expect, it } from 'vitest';
import { planDefaults } from '../experiment/plan.ts';
import { measureAll } from '../experiment/runner.ts';
import { runTrial } from '../sim/trial.ts';
import { acceptances, type DraftingCell, draftingPlaces } from '../speculation/drafting-places.ts';
import { draftingMs } from '../speculation/virtual-drafting.ts';
import { type DraftingLine, p2 } from './p2.ts';

/** Those that the tests below read. */
const isRead = ({ place, way, drafting }: DraftingCell) =>
  place === 'seed' || (place !== 'eight' && way === 'inline' && drafting.sequences !== 4);
const cells = p2.cells(planDefaults).filter(isRead);
const { found: measured } = await measureAll({ ...p2, cells: () => cells }, planDefaults, {
  pool: { run: async (spec) => runTrial(spec) },
});
const lines = measured.map(({ result }) => result);
const gain = ({ gains }: DraftingLine, acceptance: number) =>
  gains[(acceptances as readonly number[]).indexOf(acceptance)]!;
const found = (place: string, way: string, sequences: number) =>
  lines.find((line) => line.place === place && line.way.startsWith(way) && line.sequences === sequences)!;

it('takes what the arithmetic says for one sequence: draft k, decode once, write the accepted and one more', () => {
  const costs = { name: 'even', targetMs: () => 10, draftMs: () => 1 };
  const setup = { sequences: 1, tokens: 2001, where: 'inline', drafted: 4, acceptance: 1 } as const;
  // The prefix is computed first; then five tokens a round.
  expect(draftingMs(costs, { ...setup, where: 'none' })).toBe(20_010);
  expect(draftingMs(costs, setup)).toBeCloseTo(10 + 400 * 14, -1);
  expect(draftingMs(costs, { ...setup, acceptance: 0 })).toBeCloseTo(2000 * 14, -2);
  expect(draftingMs(costs, { ...setup, where: 'thread' })).toBeCloseTo(draftingMs(costs, setup), -1);
});

it('pays for a large target and small drafts, the more the better they are, and not in a full batch', () => {
  const { seventy, shipped } = draftingPlaces;
  const alone = found(seventy.name, 'inline', 1);
  expect([...alone.gains]).toEqual([...alone.gains].sort((a, b) => a - b));
  expect(gain(alone, 0.2)).toBeGreaterThan(1.1);
  expect(gain(alone, 0.3)).toBeLessThan(1.5);
  expect(gain(found(seventy.name, 'inline', 64), 0.3)).toBeLessThan(1);
  expect(gain(found(shipped.name, 'inline', 1), 0.98)).toBeGreaterThan(1.1);
  expect(gain(found(shipped.name, 'inline', 16), 0.98)).toBeLessThan(1.1);
});

it('shows what P2 shows: beside a target that takes one branch at a time, drafting in parallel beats taking turns', () => {
  const [sd, seed] = [found('7B, 68M drafts (P2)', 'SD', 3), found('7B, 68M drafts (P2)', 'SEED', 3)];
  seed.gains.forEach((each, at) => {
    expect(each).toBeGreaterThan(sd.gains[at]!);
  });
  expect(gain(seed, 0.3)).toBeGreaterThan(1.1);
  expect(gain(seed, 0.3)).toBeLessThan(1.5);
});

it('prints a line for each and draws four panels', () => {
  const { body, charts } = p2.report(measured, planDefaults);
  expect(body).toMatchObject([{ groups: [{ rows: lines.map(({ place }) => expect.arrayContaining([place])) }] }]);
  expect(charts?.[0]?.chart.panels).toHaveLength(4);
});
