// What a policy may lose in worlds whose rewards lie (lab/src/sim/worlds.ts), held against `positive` question by question. Points alone tell
// little with 500 questions; how many come out otherwise tells more. Of a policy that gave up and is gone, it was 15 % in `misleading` and 19 % in
// `flattering` on these seeds: both would fail here.

import { expect, it } from 'vitest';
import { contenderOf } from '../../lab/src/sim/contenders.ts';
import { loneAnswers } from '../../lab/src/sim/lone-search.ts';
import { erringQuestions } from '../../lab/src/sim/reward-habits.ts';
import { trialDefaults } from '../../lab/src/sim/trial.ts';
import { type scorings, worldlySpec, worlds } from '../../lab/src/sim/worlds.ts';
import { policyNames } from '../../packages/core/src/policy/policies.ts';

type Scoring = (typeof scorings)[number]['name'];

/** Points over `positive` with one strand a search, per cent of questions that only one of both answers right, and times fewer tokens. Seeds that no figure was chosen or reported on. */
function against(world: (typeof worlds)[number], scoring: Scoring, row: string, count: number) {
  const spec = {
    ...trialDefaults,
    setting: 'math500/8b',
    seed: world.seed + 50,
    ...worldlySpec(world.name, scoring),
  } as const;
  const model = erringQuestions(spec);
  const all = Array.from({ length: count }, (_, at) => at);
  const questions = all.filter((at) => model.difficulty(model.promptOf(at)) < 3);
  const [base, own] = ['positive', row].map((each) =>
    loneAnswers({ ...spec, questions, contender: contenderOf(each) }),
  );
  const sum = (read: (at: number) => number) => questions.reduce((total, _, at) => total + read(at), 0);
  return {
    otherwise: (100 * sum((at) => Number(own![at]!.right !== base![at]!.right))) / count,
    points: (100 * sum((at) => Number(own![at]!.right) - Number(base![at]!.right))) / count,
    saving: sum((at) => base![at]!.tokens) / sum((at) => own![at]!.tokens),
    answers: own!,
    base: base!,
  };
}

it.each(worlds)('safe loses nothing to speak of where rewards err: $name, $about', (world) => {
  const { points, otherwise, saving } = against(world, 'product', 'safe', 500);
  expect(otherwise).toBeLessThan(5);
  expect(points).toBeGreaterThan(-1.2);
  expect(saving).toBeGreaterThan(1.25);
});

it.each(worlds)('nor under minimum: $name', (world) => {
  const { points, saving } = against(world, 'minimum', 'safe', 400);
  expect(points).toBeGreaterThan(-1.2);
  expect(saving).toBeGreaterThan(1.25);
});

it.each(['mean', 'last', 'vote'] as const)(
  'with one strand safe is positive under %s, where no rule of its own can act',
  (scoring) => {
    const { answers, base } = against(worlds[0], scoring, 'safe', 100);
    expect(answers).toEqual(base);
  },
);

it.each(policyNames())('%s comes to an end of its own in every world', (row) => {
  for (const world of worlds) {
    for (const { exit, tokens } of against(world, 'product', row, 20).answers) {
      expect(['accepted', 'futile', 'settled', 'exhausted']).toContain(exit);
      expect(tokens).toBeGreaterThan(0);
    }
  }
});
