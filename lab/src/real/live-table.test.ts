import { expect, it } from 'vitest';
import { heldRate, liveTable } from './live-table.ts';
import type { ServedLine } from './served-questions.ts';

function cell(contender: string, perSecond: number, seed: number, right: readonly boolean[], seconds: number) {
  return right.map((correct, at): ServedLine => {
    const load = seed === 1 ? `${perSecond}/s` : `${perSecond}/s seed ${seed}`;
    const said = { exit: 'worth', verdict: 'likely', confidence: 0.7, samples: 3 };
    const cost = { latencyMs: 1000 * seconds, generatedTokens: 600, scoredTokens: 200 };
    return { load, perSecond, contender, question: `q${at}`, correct, ...cost, ...said };
  });
}

const [right, wrong] = [true, false];

it('pairs the default with the first contender over all seeds, and with itself at a faster rate', () => {
  const lines = [
    ...cell('m boost', 4, 1, [right, wrong, wrong, wrong], 2),
    ...cell('m', 4, 1, [right, right, wrong, right], 1),
    ...cell('m', 12, 1, [right, right, wrong, wrong], 3),
    ...cell('m boost', 4, 2, [right, wrong, wrong, wrong], 2),
    ...cell('m', 4, 2, [right, wrong, wrong, right], 1),
    ...cell('m', 12, 2, [right, right, wrong, wrong], 3),
  ];
  // Question by question 0, ½, 0 and 1 more right.
  const rows = liveTable(lines, (tokens) => (tokens === 800 ? 0.6 : undefined));
  expect(rows[0]).toBe(
    '4.00 a second, m boost: 8 answers of 2 seeds, 25.0 % right, p90 2.00 s, 800 tokens, -35.0 points over 60.0 % of replayed samples',
  );
  expect(rows[1]).toMatch(/62\.5 % right.*over m boost at 4\.00: 37\.5 \[.*\] points, 0\.50 times its p90/);
  expect(rows[2]).toMatch(/12\.00 a second, m:.*over m at 4\.00: -12\.5 \[.*\] points, 3\.00 times its p90/);
});

it('names the largest rate that was held, and counts who was refused', () => {
  const lines = [
    ...cell('m boost', 2, 1, [right], 1),
    ...cell('m boost', 8, 1, [right], 3.5),
    ...cell('m boost', 4, 1, [right], 2.9),
  ];
  expect(heldRate(lines, 3)).toBe(4);
  expect(heldRate(lines, 0.5)).toBeUndefined();
  expect(liveTable([{ ...lines[0]!, isRefused: true }])[0]).toContain('1 refused');
});
