import { describe, expect, it } from 'vitest';
import { fault } from '../../base/fault.ts';
import type { Aggregation } from '../../tree/aggregate.ts';
import { probeSteps, probeWarning, workedSolutions } from '../probe-steps.ts';
import type { ScoreRequest, Verifier, VerifierMessage } from '../verifier.ts';
import { UnreadEnd } from './unread-end.ts';

/** Gives each step the reward that a function of its text says. */
function scripted(aggregation: Aggregation, rewardOf: (text: string) => number): Verifier {
  let post: (message: VerifierMessage) => void = () => {};
  const usage = { computedTokens: 0, cachedTokens: 0 };
  return {
    capabilities: { name: 'scripted', aggregation, reusesPrefix: true },
    connect: (each) => {
      post = each;
    },
    score: (requests) => {
      for (const { id, step } of requests) post({ type: 'score', request: id, reward: rewardOf(step.text), usage });
    },
    cancel: () => {},
    release: () => {},
    load: () => ({ waiting: 0, healthy: true }),
    close: async () => {},
  };
}

function request(id: number, text: string, end: 'eos' | 'delimiter'): ScoreRequest {
  const prompt = { kind: 'text', text: 'q' } as const;
  const before = { text: 'a line\n', tokens: 2, meanLogprob: 0, end: 'delimiter' } as const;
  const step = { text, tokens: 1, meanLogprob: 0, end };
  const path = [{ key: 1, step: before }];
  return { id, search: 's', prompt, parent: 1, index: id, path, step, lane: 'primary', priority: 0 };
}

function rewards(aggregation: Aggregation): number[] {
  const verifier = new UnreadEnd(scripted(aggregation, () => 0.23));
  const found: number[] = [];
  verifier.connect((message) => {
    if (message.type === 'score') found[message.request] = message.reward;
  });
  verifier.score([request(0, '', 'eos'), request(1, 'So it is 5.', 'eos'), request(2, '\n', 'delimiter')]);
  return found;
}

describe('the end that is not read', () => {
  it('leaves a product or a minimum as it is, and only the end that says nothing is left out', () => {
    expect(rewards('product')).toEqual([1, 0.23, 0.23]);
    expect(rewards('minimum')).toEqual([1, 0.23, 0.23]);
  });

  it('is scored where no reward is neutral', () => {
    expect(rewards('last')).toEqual([0.23, 0.23, 0.23]);
  });
});

/** Whether the equation of a line holds. */
function isRight(text: string): boolean {
  const [a = 0, b = 0, sum = 0] = (text.match(/\d+/g) ?? []).map(Number);
  return a + b === sum;
}

describe('the probe of a reward model', () => {
  const warningOf = async (rewardOf: (text: string) => number) => {
    return probeWarning('it', await probeSteps(scripted('product', rewardOf), '\n'), 'look again');
  };

  it('is content with a model that tells right from wrong', async () => {
    expect(await warningOf((text) => (isRight(text) ? 0.97 : 0.02))).toBeUndefined();
  });

  it('is content with one that was trained on whole solutions and says nothing of bare sums', async () => {
    const rights = workedSolutions.map(({ right }) => right.at(-1));
    expect(await warningOf((text) => (/^\d/.test(text) ? 0.5 : rights.includes(text) ? 0.8 : 0.3))).toBeUndefined();
    const blind = await warningOf((text) => (/^\d/.test(text) ? 0.5 : 0.7));
    expect(blind).toContain("0.50, '2 + 3 = 6' and the like 0.50; right solutions in steps 0.70, wrong ones 0.70)");
  });

  it('shows solutions as a search has them: the steps before, and the last one with the end', async () => {
    const asked: ScoreRequest[] = [];
    const verifier = scripted('product', () => 0.5);
    const score: Verifier['score'] = (all) => {
      asked.push(...all);
      verifier.score(all);
    };
    await probeSteps({ ...verifier, score }, '\n\n');
    const solutions = asked.filter(({ path }) => path.length > 0);
    expect(solutions).toHaveLength(2 * workedSolutions.length);
    const [{ path, step, parent } = solutions[0]!] = solutions;
    expect(path.map((each) => each.step.text)).toEqual(
      workedSolutions[0]!.right.slice(0, 2).map((each) => `${each}\n\n`),
    );
    expect(step).toMatchObject({ text: 'The answer is 28.', end: 'eos' });
    expect(parent).toBe(path.at(-1)!.key);
    expect(new Set(solutions.map((each) => each.parent)).size).toBe(solutions.length);
  });

  it('warns by the sums alone where solutions do not fit', async () => {
    const verifier = scripted('product', () => 0.5);
    let post: (message: VerifierMessage) => void = () => {};
    const connect: Verifier['connect'] = (to) => {
      post = to;
      verifier.connect(to);
    };
    const score: Verifier['score'] = (all) => {
      if (all.every(({ path }) => path.length === 0)) verifier.score(all);
      else post({ type: 'fault', request: all[0]!.id, fault: fault('too-long', 'no room') });
    };
    expect(await probeSteps({ ...verifier, connect, score }, '\n')).toEqual({ right: 0.5, wrong: 0.5 });
  });

  it('is not taken in by luck with one sum', async () => {
    expect(await warningOf((text) => (text === '2 + 3 = 5\n' ? 0.9 : 0.4))).toContain('does not tell');
  });

  it('gives up on a verifier that never answers', async () => {
    const silent = { ...scripted('product', () => 0), score: () => {} };
    await expect(probeSteps(silent, '\n', 1)).rejects.toThrow(/no scores within 0\.001 s/);
  });

  it('warns in one line of one that does not, and of one that is read the wrong way round', async () => {
    expect(await warningOf(() => 0.41)).toMatch(/^it does not tell right steps .* 0\.41, .* 0\.41\), .* look again$/);
    expect(await warningOf((text) => (isRight(text) ? 0.02 : 0.97))).toContain('0.02');
  });
});
