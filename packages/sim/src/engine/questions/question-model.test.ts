import { describe, expect, it } from 'vitest';
import { Random } from '../../../../core/src/base/random.ts';
import type { GenerateRequest, PathStep } from '../../../../core/src/engine/engine.ts';
import { below, tipKey } from '../../../../core/src/testing/case/paths.ts';
import type { Prompt, Step } from '../../../../core/src/tree/step.ts';
import { QuestionModel } from './question-model.ts';
import type { QuestionProfile } from './question-profile.ts';
import { extractAnswer } from './question-text.ts';

const habits = { soundness: { low: 0.6, high: 0.9 }, strictness: { low: 0.5, high: 1.5 } };
const profile: QuestionProfile = {
  name: 'test',
  easyShare: 0.5,
  scalingShare: 0.3,
  easy: habits,
  scaling: habits,
  impossible: habits,
  impossibleAtOnce: 0.3,
  meanSteps: 7,
  stepTokens: 40,
  stepTokensSpread: 0.7,
  blindShare: 0.1,
  blindChance: 0.5,
  missChance: 0.05,
  twinRate: 0.3,
};

function promptOf(question: number): Prompt {
  return { kind: 'text', text: `question ${question}` };
}

function request(prompt: Prompt, path: readonly PathStep[], index: number, id = 0): GenerateRequest {
  return {
    id,
    search: `${id}`,
    prompt,
    path,
    parent: tipKey(path),
    index,
    sampling: { temperature: 1 },
    seed: id,
    delimiters: ['\n\n'],
    maxTokens: 400,
    lane: 'primary',
    priority: 0,
  };
}

/** Draws all steps to a depth, in the given order; keyed by the path of child indices. */
function grow(model: QuestionModel, prompt: Prompt, order: (indices: number[]) => number[]): Map<string, string> {
  const found = new Map<string, string>();
  const visit = (path: readonly PathStep[], at: string): void => {
    if (path.length === 4) return;
    for (const index of order([0, 1, 2, 3])) {
      const step = model.draw(request(prompt, path, index, found.size));
      found.set(`${at}${index}`, JSON.stringify([step, model.reward(prompt, path, step)]));
      if (step.end !== 'eos') visit(below(path, step), `${at}${index}.`);
    }
  };
  visit([], '');
  return found;
}

describe('the question model', () => {
  it('draws the same node whatever was drawn before it', () => {
    const forward = grow(new QuestionModel(profile), promptOf(3), (indices) => indices);
    const model = new QuestionModel(profile);
    grow(model, promptOf(4), (indices) => indices);
    const backward = grow(model, promptOf(3), (indices) => indices.reverse());
    expect(forward.size).toBeGreaterThan(200);
    expect([...backward].sort()).toEqual([...forward].sort());
  });

  it('gives different questions different trees', () => {
    const model = new QuestionModel(profile);
    const one = grow(model, promptOf(1), (indices) => indices);
    const other = grow(model, promptOf(2), (indices) => indices);
    expect([...one.values()].filter((value) => [...other.values()].includes(value))).toEqual([]);
  });

  it('keeps steps within the limit and rewards within 0 to 1', () => {
    const model = new QuestionModel(profile);
    for (let question = 0; question < 500; question += 1) {
      const prompt = promptOf(question);
      const step = model.draw({ ...request(prompt, [], 0), maxTokens: 25 });
      expect(step.tokens).toBeGreaterThanOrEqual(1);
      expect(step.tokens).toBeLessThanOrEqual(25);
      expect(step.end === 'length' ? step.tokens : 25).toBe(25);
      const reward = model.reward(prompt, [], step);
      expect(reward).toBeGreaterThanOrEqual(0);
      expect(reward).toBeLessThanOrEqual(1);
    }
  });

  it('ends every path, and only right paths with the right answer', () => {
    const model = new QuestionModel(profile);
    const random = new Random('walk');
    const seen = { right: 0, wrong: 0 };
    for (let question = 0; question < 300; question += 1) {
      const prompt = promptOf(question);
      let path: readonly PathStep[] = [];
      let step: Step;
      do {
        step = model.draw(request(prompt, path, random.integer(4)));
        path = below(path, step);
        expect(path.length).toBeLessThan(60);
      } while (step.end !== 'eos');
      const answer = extractAnswer(path.map((each) => each.step.text).join(''));
      const right = answer === model.question(prompt).answer;
      expect(right).toBe(step.text.startsWith('sound'));
      seen[right ? 'right' : 'wrong'] += 1;
    }
    expect(Math.min(seen.right, seen.wrong)).toBeGreaterThan(30);
  });

  it('has rewards that overlap, and siblings that are alike', () => {
    const model = new QuestionModel(profile);
    const rewards = { sound: [] as number[], flawed: [] as number[] };
    const pairs: [number, number][] = [];
    for (let question = 0; question < 3000; question += 1) {
      const prompt = promptOf(question);
      const [a, b] = [0, 1].map((index) => model.draw(request(prompt, [], index))) as [Step, Step];
      const [one, other] = [model.reward(prompt, [], a), model.reward(prompt, [], b)];
      for (const kind of ['sound', 'flawed'] as const) if (a.text.includes(kind)) rewards[kind].push(one);
      if (a.text.includes('sound') && b.text.includes('sound')) pairs.push([one, other]);
    }
    expect(mean(rewards.sound)).toBeGreaterThan(0.8);
    expect(mean(rewards.flawed)).toBeLessThan(0.35);
    expect(Math.max(...rewards.flawed)).toBeGreaterThan(Math.min(...rewards.sound));
    expect(correlation(pairs)).toBeGreaterThan(0.35);
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

it('lists next steps where it is asked for a list, each as it would draw it by itself', () => {
  const model = new QuestionModel(profile);
  const prompt = promptOf(1);
  const first = below([], model.draw(request(prompt, [], 0)));
  const words: Step = { text: 'Here are 3 steps:\n1.', tokens: 5, meanLogprob: 0, end: 'length' };
  const list = model.draw({ ...request(prompt, below(first, words), 0), delimiters: [] });
  const drawn = [0, 1, 2].map((index) => model.draw(request(prompt, first, index)).text.trim());
  expect(list.text.split('\n').slice(0, 3)).toEqual([` ${drawn[0]}`, `2. ${drawn[1]}`, `3. ${drawn[2]}`]);
  expect(list.end).toBe('eos');
});
