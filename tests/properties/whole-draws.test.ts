// A path that is drawn whole gives the search that its steps would have given: tree, answer and exit are the same, whatever comes first.

import { expect, it } from 'vitest';
import { isTreeEvent } from '../../packages/core/src/log/events.ts';
import { createBestOfN, createGreedy, createSelfConsistency } from '../../packages/core/src/program/best-of-n.ts';
import type { SearchRequest } from '../../packages/core/src/runtime/search/request.ts';
import { run, type Setting } from '../support/toy-run.ts';

const programs = {
  vote: () => createSelfConsistency({ samples: 8 }),
  narrow: () => createSelfConsistency({ samples: 8, window: 3 }),
  short: () => createSelfConsistency({ samples: 8, maxDepth: 3 }),
  best: () => createBestOfN({ samples: 8 }),
  greedy: () => createGreedy(),
};
const aggregations = ['last', 'product'] as const;

/** Without the tokens of single steps: a whole answer has them together. */
function essence({ tree, result }: ReturnType<typeof run>) {
  const nodes = tree.nodes.map(({ key, count, visits, value, score, reward, terminal, answer }) => {
    return { key, count, visits, value: value.toFixed(9), score, reward, terminal, answer };
  });
  nodes.sort((a, b) => a.key - b.key);
  const { text, answer, score } = result.answer!;
  const { evidence: _, ...exit } = result.exit;
  return { nodes, text, answer, score, exit, rollouts: result.rollouts };
}

function setting(create: Setting['create'], seed: number, over: Partial<SearchRequest>): Setting {
  return { create, seed, weather: 3 * seed, width: { primary: 4, speculative: seed % 3 }, over, threshold: 1 };
}

it('gives the same tree, answer and exit as steps do', () => {
  let [asked, inSteps] = [0, 0];
  for (let seed = 0; seed < 24; seed += 1) {
    for (const [name, create] of Object.entries(programs)) {
      const over = { aggregation: aggregations[seed % 2]! };
      const steps = run({ ...setting(create, seed, over), whole: false });
      const whole = run({ ...setting(create, seed, over), whole: true, weather: seed });
      expect(essence(whole), `${name}, seed ${seed}`).toEqual(essence(steps));
      expect(whole.result.cost.committedTokens, name).toBe(whole.tree.tokens);
      asked += whole.engine.requests.length;
      inSteps += steps.engine.requests.length;
    }
  }
  expect(asked).toBeLessThan(0.6 * inSteps);
});

it('asks for one draw a sample, and for one score where the last alone counts', () => {
  for (const whole of [false, true]) {
    const { engine, verifier, tree } = run({ ...setting(programs.best, 5, { aggregation: 'last' }), whole });
    expect(verifier.calls).toBe(8);
    expect(tree.nodes.filter(({ reward }) => reward !== undefined).every(({ terminal }) => terminal)).toBe(true);
    if (whole) expect(engine.requests).toHaveLength(8);
  }
});

it('draws again after a crash what was on its way, under the same key, and goes on where a path had come to', () => {
  for (let seed = 0; seed < 12; seed += 1) {
    const asked = { ...setting(programs.vote, seed, {}), whole: true, width: { primary: 4, speculative: 0 } };
    const expected = run(asked);
    const log = expected.events.filter(isTreeEvent);
    for (let kept = 1; kept < log.length; kept += 3) {
      const resumed = run({ ...asked, from: log.slice(0, kept) });
      expect(resumed.result.rollouts, `seed ${seed}, ${kept} events`).toBe(8);
      expect(new Set(resumed.tree.nodes.map(({ key }) => key)).size).toBe(resumed.tree.nodes.length);
    }
    const again = run({ ...asked, from: log.slice(0, 4) });
    expect(essence(again)).toEqual(essence(expected));
  }
});

it('counts every token once in any weather', () => {
  for (let seed = 0; seed < 24; seed += 1) {
    const misfortune = { fail: 0.2, double: 0.2, lose: 0.05, untilMs: 2000 };
    const asked = { ...setting(programs.best, seed, { aggregation: 'last' }), misfortune, whole: true };
    const { result, tree } = run({ ...asked, threshold: 0.95 });
    expect(result.cost.committedTokens).toBe(tree.tokens);
  }
});

it('draws in steps where a budget may end a path, and where something reads steps', () => {
  const tokens = { limits: { threshold: 1, rollouts: 8, tokens: 60 } };
  const short = run({ ...setting(programs.vote, 1, tokens), whole: true });
  expect(short.engine.requests.length).toBeGreaterThan(3);
  expect(short.engine.requests[0]?.whole).toBeUndefined();
  const read = run({ ...setting(programs.vote, 1, { logprobs: true }), whole: true });
  expect(read.engine.requests.some(({ whole }) => whole)).toBe(false);
  const bare = run({ ...setting(() => createSelfConsistency({ samples: 8, maxDepth: 1 }), 1, {}), whole: true });
  expect(bare.engine.requests.some(({ whole }) => whole)).toBe(false);
});
