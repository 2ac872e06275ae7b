import { expect, it } from 'vitest';
import { Random } from '../base/random.ts';
import { hazardFeatures } from '../exit/hazard.ts';
import { calibrateHazard, fitHazard, pairOf } from './hazard-choice.ts';
import type { HazardNote, NotedSearch } from './hazard-notes.ts';
import { fitLogistic } from './logistic.ts';

it('finds the weights that drew the labels', () => {
  const draw = new Random('rows');
  const rows = Array.from({ length: 20_000 }, () => {
    const reading = [draw.uniform(), draw.normal()];
    const chance = 1 / (1 + Math.exp(-(-1 + 2 * reading[0]! - 0.5 * reading[1]!)));
    return { reading, label: draw.uniform() < chance };
  });
  const { bias, weights } = fitLogistic(rows);
  expect(bias).toBeCloseTo(-1, 0);
  expect(Math.abs(bias + 1)).toBeLessThan(0.1);
  expect(Math.abs(weights[0]! - 2)).toBeLessThan(0.15);
  expect(Math.abs(weights[1]! + 0.5)).toBeLessThan(0.05);
  // At the optimum the chances add up to the labels.
  const sum = rows.reduce((total, { reading }) => {
    return total + 1 / (1 + Math.exp(-(bias + weights[0]! * reading[0]! + weights[1]! * reading[1]!)));
  }, 0);
  expect(sum).toBeCloseTo(rows.filter(({ label }) => label).length, 3);
});

it('keeps its weights finite where one reading tells all', () => {
  const rows = [-2, -1, 1, 2].map((at) => ({ reading: [at], label: at > 0 }));
  const { weights } = fitLogistic(rows);
  expect(weights[0]).toBeGreaterThan(0.3);
  expect(weights[0]).toBeLessThan(5);
});

const readingWith = (incumbent: number, rollouts: number) =>
  hazardFeatures.map((name) => (name === 'incumbent' ? incumbent : name === 'rollouts' ? Math.log(1 + rollouts) : 0));

/**
 * Questions of ten rollouts. Where the incumbent is high it is right from the start; where it is low, going on helps in one
 * case out of `helps`, at the last rollout.
 */
function searches(count: number, seed: number, helps: number): NotedSearch[] {
  return Array.from({ length: count }, (_, at) => {
    const draw = new Random('noted', seed, at);
    const high = draw.uniform() < 0.6;
    const right = high || draw.uniform() < helps;
    const notes = Array.from({ length: 10 }, (_, rollout): HazardNote => {
      return { tokens: 100 * (rollout + 1), right: high, reading: readingWith(high ? 0.9 : 0.1, rollout + 1) };
    });
    return {
      question: `q${seed} ${at}`,
      full: { tokens: 1100, right },
      notes,
      givenUp: [undefined, undefined, undefined],
    };
  });
}

it('ends what is settled, goes on where it pays, and reports on the half that chose nothing', () => {
  const parts = calibrateHazard(searches(2000, 1, 0.5), 1, 1);
  if ('refused' in parts) throw new Error(parts.refused);
  expect(parts.hazard.weights.incumbent).toBeLessThan(-2);
  // Six in ten end after their first rollout; the others go on.
  expect(parts.expected.firedShare).toBeGreaterThan(0.55);
  expect(parts.expected.firedShare).toBeLessThan(0.65);
  expect(parts.reported.pointsLost.value).toBe(0);
  expect(parts.reported.tokensSaved.value).toBeGreaterThan(45);
  expect(parts.chosen.questions + parts.reported.questions).toBe(2000);
});

it('refuses what may lose more than allowed, in words', () => {
  const few = calibrateHazard(searches(60, 2, 0.5), 1, 1);
  expect(few).toEqual({
    refused: expect.stringMatching(/no threshold is sure to lose at most 1 points on \d+ questions/),
  });
  expect(calibrateHazard([], 1, 1)).toEqual({ refused: 'there are too few questions to split' });
});

it('ends at whichever comes first, the negative exit of the cut or the curve', () => {
  const [search] = searches(1, 3, 0);
  const model = { ...fitHazard([search!]), below: 0 };
  const givenUp = [undefined, 4, 7];
  expect(pairOf({ ...search!, givenUp }, model, 0).exited.fired).toBe(false);
  expect(pairOf({ ...search!, givenUp }, model, 1).exited).toMatchObject({ fired: true, tokens: 500 });
  expect(pairOf({ ...search!, givenUp }, { ...model, below: 1 }, 1).exited).toMatchObject({ tokens: 100 });
});
