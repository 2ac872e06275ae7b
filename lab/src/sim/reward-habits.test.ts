import type { GenerateRequest, PathStep } from '@coppice/core/engine';
import { nodeKey, type Prompt, rootKey, type Step } from '@coppice/core/tree';
import { describe, expect, it } from 'vitest';
import type { SimulatedQuestions } from '../service/index.ts';
import { erringQuestions, type RewardHabits } from './reward-habits.ts';

/** Sound steps are as likely as others, and the verifier misses none. */
const kind = { soundness: { low: 0.6, high: 0.9 }, strictness: { low: 0.5, high: 1.5 } };
const clear = { easy: kind, scaling: kind, impossible: kind, missChance: 0, blindShare: 0, twinRate: 0 };

function request(prompt: Prompt, path: readonly PathStep[], index: number, id = 0): GenerateRequest {
  return {
    id,
    search: `${id}`,
    prompt,
    path,
    parent: path.at(-1)?.key ?? rootKey,
    index,
    sampling: { temperature: 1 },
    seed: id,
    delimiters: ['\n\n'],
    maxTokens: 400,
    lane: 'primary',
    priority: 0,
  };
}

describe('rewards that err together', () => {
  /** Pairs of rewards of sound steps: of a step and its child, and of two first steps of a question. */
  function rewardsIn(rewards: RewardHabits) {
    const model = erringQuestions({ setting: 'math500/8b', seed: 1, profile: { ...clear, rewards } });
    const [along, across, late]: [number, number][][] = [[], [], []];
    for (let question = 0; question < 1500; question += 1) {
      const prompt = model.promptOf(question);
      const first = [0, 1].map((index) => model.draw(request(prompt, [], index))) as [Step, Step];
      const below = belowFirst(model, prompt, first[0]);
      const [one, other] = first.map((step) => model.reward(prompt, [], step)) as [number, number];
      const child = model.reward(prompt, below.path, below.step);
      expect(Math.min(one, other, child)).toBeGreaterThanOrEqual(rewards.lowest ?? 0);
      expect(Math.max(one, other, child)).toBeLessThanOrEqual(rewards.highest ?? 1);
      if ([first[0], below.step].every(({ text }) => text.startsWith('sound'))) along!.push([one, child]);
      if (first.every(({ text }) => text.startsWith('sound'))) across!.push([one, other]);
      if (first[0].text.startsWith('flawed')) late!.push([one, child]);
    }
    return { along: along!, across: across!, late: late! };
  }

  function belowFirst(model: SimulatedQuestions, prompt: Prompt, first: Step) {
    const path = [{ key: nodeKey(rootKey, first), step: first }];
    return { path, step: model.draw(request(prompt, path, 0)) };
  }

  it('are alike along a path, below a first step and in a question as their habits say', () => {
    const plain = rewardsIn({});
    expect(Math.abs(correlation(plain.along))).toBeLessThan(0.15);
    for (const habits of [{ ofPath: 0.8 }, { ofSubtree: 0.8 }, { ofQuestion: 0.8 }])
      expect(correlation(rewardsIn(habits).along)).toBeGreaterThan(0.4);
    expect(correlation(rewardsIn({ ofSubtree: 0.8 }).across)).toBeLessThan(correlation(plain.across));
  });

  it('come late, are squeezed, and mislead', () => {
    const [plain, late] = [rewardsIn({}), rewardsIn({ lateSteps: 1 })];
    expect(mean(plain.late.map(([one]) => one))).toBeLessThan(0.35);
    expect(mean(late.late.map(([one]) => one))).toBeGreaterThan(0.8);
    expect(mean(late.late.map(([, child]) => child))).toBeLessThan(0.35);
    rewardsIn({ lowest: 0.5, highest: 0.9 });
    const misled = rewardsIn({ misleadingSteps: 4, harshness: 6, decline: 6 });
    expect(mean(misled.along.map(([one]) => one))).toBeLessThan(mean(plain.along.map(([one]) => one)) - 0.1);
    expect(mean(misled.late.map(([one]) => one))).toBeGreaterThan(0.8);
    expect(mean(misled.late.map(([, child]) => child))).toBeLessThan(mean(misled.late.map(([one]) => one)));
  });
});

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function correlation(pairs: readonly (readonly [number, number])[]): number {
  const a = mean(pairs.map(([each]) => each));
  const b = mean(pairs.map(([, each]) => each));
  const product = mean(pairs.map(([x, y]) => (x - a) * (y - b)));
  return product / Math.sqrt(mean(pairs.map(([x]) => (x - a) ** 2)) * mean(pairs.map(([, y]) => (y - b) ** 2)));
}
