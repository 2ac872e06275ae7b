import { expect, it } from 'vitest';
import type { Cost } from '../../../../core/src/log/end.ts';
import { plantedEvent } from '../../../../core/src/tree/events.ts';
import { Tree } from '../../../../core/src/tree/tree.ts';
import { answerLines, type Reported } from './answer-view.ts';

const cost: Cost = {
  committedTokens: 123_456,
  discardedTokens: 12_345,
  speculativeTokens: 0,
  promptTokens: 33,
  cachedTokens: 5961,
  decodedTokens: 9000,
  verifierTokens: 12,
  verifierCachedTokens: 0,
  engineCalls: 9,
  verifierCalls: 137,
};

function lines(speculate: number, ahead: Partial<Cost> = {}): string[] {
  const exit = { kind: 'exhausted', rule: 'rollouts', evidence: { used: 16, limit: 16, pruned: 0 } };
  const times = { arrivalMs: 0, admittedMs: 0, endedMs: 700 };
  const reported = {
    result: { id: 's', exit, answer: undefined, cost: { ...cost, ...ahead }, nodes: 1, rollouts: 0, ...times },
    tree: Tree.replay([plantedEvent('product')]),
    plan: { scoring: 'verifier', threshold: 0.9, policyOptions: { speculate } },
    loadedMs: 1000,
  };
  return answerLines(reported as unknown as Reported, 60, (text) => text);
}

it('shows what was grown ahead if speculation is on, and nothing otherwise', () => {
  const ahead = (told: readonly string[]) => told.filter((line) => line.includes('grown ahead'));
  expect(ahead(lines(0))).toEqual([]);
  expect(ahead(lines(4))).toEqual(['         grown ahead: nothing, since no idle strand was worth it here']);
  const used = { adoptedTokens: 192, forsakenTokens: 7, speculativeTokens: 3 };
  expect(ahead(lines(4, used))).toEqual(['         grown ahead: 192 tokens used, 10 wasted']);
});

it('keeps what the search cost within the width of the terminal', () => {
  const told = lines(0);
  expect(told.filter((line) => line.startsWith('cost '))).toHaveLength(1);
  expect(told.join(' ')).toMatch(/of them 9000 computed\s+\(12857 a second\) and \d+ thrown away/);
  expect(told.filter((line) => line.length > 60 && !line.includes('scoring'))).toEqual([]);
});
