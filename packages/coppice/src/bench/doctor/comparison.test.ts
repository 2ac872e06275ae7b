// Checks the claims about made-up runs: samples and trees whose chances are known.

import { describe, expect, it } from 'vitest';
import { Random } from '../../../../core/src/base/random.ts';
import { adviceOf, comparisonLines } from './advice.ts';
import type { ComparedQuestion, ComparedRun } from './compare.ts';
import { comparisonOf } from './comparison.ts';
import type { DrawnSample } from './drawn-samples.ts';

const samples = 8;
const answered = { greedy: 0, tree: 0, sampled: 0 };
const tree = {
  name: 'best-first, safe',
  flags: '--program best-first --policy safe',
  program: 'best-first',
  policy: 'safe',
  aggregation: 'product',
  threshold: 0.9,
} as const;

interface World {
  readonly questions: number;
  /** Chances of a right sample, and of a right tree; undefined: one chance for both, drawn for each question. */
  readonly sample: number | undefined;
  readonly tree: number | undefined;
  /** Lead of the scores of right samples over those of wrong ones. */
  readonly lead: number;
  /** Tokens of the tree; a sample generates and scores 100 each. */
  readonly treeTokens?: number;
  readonly seed?: number;
}

function runOf({ questions, lead, treeTokens = 500, seed = 1, ...chance }: World): ComparedRun {
  const random = new Random(seed, 'comparison');
  const one = (at: number): ComparedQuestion => {
    const own = random.uniform();
    const drawn = Array.from({ length: samples }, (): DrawnSample => {
      const right = random.chance(chance.sample ?? own);
      const score = Math.min(1, Math.max(0, 0.4 + 0.3 * random.uniform() + (right ? lead : 0)));
      const meaning = right ? 'right' : `wrong ${random.integer(3)}`;
      return { meaning, complete: true, right, tokens: 100, scores: { own: score, last: score } };
    });
    const spent = (correct: boolean, tokens: number) => ({ correct, generatedTokens: tokens, scoredTokens: tokens });
    return {
      id: String(at),
      greedy: { ...spent(random.chance(chance.sample ?? own), 100), scoredTokens: 0 },
      tree: spent(random.chance(chance.tree ?? own), treeTokens),
      samples: drawn,
      sampled: spent(true, 100 * samples),
    };
  };
  return {
    tree,
    questions: Array.from({ length: questions }, (_, at) => one(at)),
    answered,
    failed: 0,
    elapsedMs: questions * 500,
  };
}

const adviceIn = (world: World, left = 1000) => adviceOf(comparisonOf(runOf(world), samples), left);
const linesIn = (world: World) => comparisonLines(comparisonOf(runOf(world), samples), 'the reward model');

describe('the advice', () => {
  it('says that the tree pays if it beats every rule at equal tokens', () => {
    const { kind, text } = adviceIn({ questions: 200, sample: 0.4, tree: 0.95, lead: 0.1 });
    expect(kind).toBe('tree');
    expect(text).toMatch(
      /^the tree pays: \+\d+\.\d points \[\+\d+\.\d, \+\d+\.\d\] over the .* at equal tokens; take --program best-first --policy safe$/,
    );
  });

  it('says to take samples that vote if the tree does not pay', () => {
    const { kind, text } = adviceIn({ questions: 200, sample: 0.6, tree: 0.6, lead: 0.2 });
    expect(kind).toBe('samples');
    expect(text).toMatch(/^use samples that vote \(--program auto\): the tree is behind/);
  });

  it('says that it cannot tell, and how many questions more would', () => {
    const { kind, text } = adviceIn({ questions: 60, sample: 0.5, tree: 0.75, lead: 0.1 });
    expect(kind).toBe('unknown');
    expect(text).toMatch(
      /^cannot tell yet: at equal tokens the tree has between −\d+\.\d and \+\d+\.\d points over the weighted vote; about [\d,]+ questions more would show/,
    );
    expect(adviceIn({ questions: 60, sample: 0.5, tree: 0.75, lead: 0.1 }, 7).text).toContain('only 7 are there');
  });

  it('claims nothing about a few questions, whatever they show', () => {
    for (const questions of [1, 5, 19]) {
      expect(adviceIn({ questions, sample: 0.1, tree: 1, lead: 0.3 }).text).toMatch(
        /^cannot tell yet: \d+ questions? says? too little/,
      );
    }
    expect(adviceIn({ questions: 0, sample: 0, tree: 0, lead: 0 }).text).toContain('no question was answered by all');
    expect(adviceIn({ questions: 30, sample: 0, tree: 0, lead: 0 }).text).toMatch(/^nothing can be said: none/);
    expect(adviceIn({ questions: 30, sample: 1, tree: 1, lead: 0 }).text).toMatch(/^nothing can be said: all of them/);
  });

  it('claims no gain if all drawn samples cost less than the tree', () => {
    const { kind, text } = adviceIn({ questions: 200, sample: 0.4, tree: 0.95, lead: 0.1, treeTokens: 2000 });
    expect([kind, text.includes('--samples 16')]).toEqual(['unknown', true]);
  });

  it('rarely claims a difference that does not exist', () => {
    // The tree is one more sample of each question and costs as much as one, so that every rule is one sample too.
    const claims = Array.from({ length: 60 }, (_, seed) => {
      const run = runOf({ questions: 30, sample: undefined, tree: undefined, lead: 0.2, treeTokens: 100, seed });
      const { kind, text } = adviceOf(comparisonOf(run, samples), 0);
      return kind === 'tree' || text.includes('the tree is behind');
    });
    expect(claims.filter(Boolean).length).toBeLessThanOrEqual(3);
  });

  it('names the rule against which a gain is open', () => {
    const found = comparisonOf(runOf({ questions: 200, sample: 0.4, tree: 0.95, lead: 0.1 }), samples);
    const open = { value: 0.02, low: -0.01, high: 0.05 };
    const equalCost = found.equalCost.map((each) =>
      each.rule === 'best score' ? { ...each, difference: open } : each,
    );
    expect(adviceOf({ ...found, equalCost }, 0).text).toMatch(/^cannot tell yet: .* over the best score; about/);
    const short = equalCost.map((each) => ({ ...each, isShort: each.rule === 'best score', samples }));
    expect(adviceOf({ ...found, equalCost: short }, 0).text).toMatch(
      /^cannot tell yet: the tree has .* over the best score of 8, which costs less; about/,
    );
  });
});

describe('the lines', () => {
  it('are a head, five rows and the difference', () => {
    const lines = linesIn({ questions: 200, sample: 0.6, tree: 0.6, lead: 0.2 });
    expect(lines.length).toBe(7);
    expect(lines[1]).toMatch(/^ {2}greedy +\d+\.\d % +100 +0$/);
    expect(lines[2]).toMatch(/^ {2}majority of 8 +\d+\.\d % +800 +0$/);
    expect(lines[3]).toMatch(/^ {2}weighted vote of 8 +\d+\.\d % +800 +800$/);
    expect(lines[4]).toMatch(/^ {2}best score of 8 +/);
    expect(lines[5]).toMatch(/^ {2}best-first, safe +\d+\.\d % +500 +500$/);
    expect(lines[6]).toMatch(/at equal tokens \(at most \d\.\d samples\) the tree has [+−]/);
  });

  it('begin with the reward model if it is not shown to be better than chance', () => {
    const world = { questions: 100, sample: 0.5, tree: 0.5, lead: 0 };
    expect(linesIn(world)[0]).toMatch(
      /^! the reward model is not shown to be better than chance: .* 5\d % \[4\d, 5\d\]|^! .* 4\d %/,
    );
    expect(linesIn({ ...world, lead: -0.3 })[0]).toContain('is worse than chance');
    expect(adviceIn({ ...world, tree: 0.2 }).text).toMatch(
      /^use samples that vote \(--program auto\): the tree is behind the majority/,
    );
    expect(linesIn({ ...world, questions: 5 })[0]).toContain('cannot be said');
    expect(linesIn({ ...world, lead: 0.2 })[0]).not.toContain('!');
  });
});

it('compares the tree with samples of the same cost, between two whole numbers of them', () => {
  const right = (is: boolean): DrawnSample => ({
    meaning: is ? 'a' : 'b',
    complete: true,
    right: is,
    tokens: 100,
    scores: { own: 0.5, last: is ? 0.9 : 0.1 },
  });
  const spent = { correct: true, generatedTokens: 300, scoredTokens: 0 };
  const question = {
    id: '1',
    greedy: spent,
    tree: { ...spent, generatedTokens: 250 },
    samples: [right(true), right(false), right(false), right(false)],
    sampled: { ...spent, generatedTokens: 400 },
  };
  const { equalCost, rows } = comparisonOf({ tree, questions: [question], answered, failed: 0, elapsedMs: 1 }, 4);
  const [majority, , best] = equalCost;
  // Two of four samples hold the right one half of the time; of equal votes the better sample wins: 1/2, and of three 1/4 · 0.
  expect(majority).toMatchObject({ samples: 2.5, isShort: false });
  expect(majority!.difference.value).toBeCloseTo(1 - (0.5 + 0) / 2, 12);
  expect(best!.difference.value).toBeCloseTo(1 - (0.5 + 0.75) / 2, 12);
  expect(rows.at(-2)).toMatchObject({ rule: 'best score', generated: 400 });
});
