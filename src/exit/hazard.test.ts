// What the calibrated exit reads, by hand, and when it fires.

import { expect, it } from 'vitest';
import { askBelow, complete, growBelow, treeOf, viewOf } from '../../tests/support/trees.ts';
import { chanceOf, type HazardModel, hazardExit, hazardFeatures, readHazard } from './hazard.ts';

const nothing = Object.fromEntries(hazardFeatures.map((name) => [name, 0])) as HazardModel['weights'];
const curve = (weights: Partial<HazardModel['weights']>, bias = 0, below = 0.5): HazardModel => ({
  bias,
  weights: { ...nothing, ...weights },
  below,
});

/** Two completed paths at 0.4 (answer a) and 0.2 (answer b), leaves at 0.9, 0.6 and 0.3, one of which is being expanded. */
function searched() {
  const tree = treeOf('product', [{ reward: 0.9 }, { reward: 0.6 }, { reward: 0.3 }, { reward: 0.5 }]);
  const [first, second] = growBelow(tree, tree.node(4), [
    { reward: 0.8, end: true, answer: 'a' },
    { reward: 0.4, end: true, answer: 'b' },
  ]);
  complete(tree, first!);
  complete(tree, second!);
  askBelow(tree, tree.node(2), 1);
  return tree;
}

it('reads nine numbers off the tree', () => {
  const reading = readHazard(viewOf(searched(), { threshold: 0.5 }))!;
  const named = Object.fromEntries(hazardFeatures.map((name, at) => [name, reading[at]!]));
  expect(named.incumbent).toBeCloseTo(0.8, 12);
  expect(named.runnerUp).toBeCloseTo(0.4, 12);
  // The leaves at 0.9 and 0.6 can beat 0.4, the one being expanded included.
  expect(named.viableLeaves).toBeCloseTo(Math.log(3), 12);
  expect(named.bestLeaf).toBe(0.9);
  expect(named.rollouts).toBeCloseTo(Math.log(3), 12);
  expect(named.firstReward).toBe(0.9);
  // Rollouts scored 0.4 and 0.2.
  expect(named.spread).toBeCloseTo(0.1, 12);
  expect(named.openStrands).toBeCloseTo(Math.log(2), 12);
  expect(named.paths).toBeCloseTo(Math.log(3), 12);
});

it('fires below its threshold, with the chance and every reading as evidence', () => {
  const view = viewOf(searched(), { threshold: 0.5 });
  const model = curve({ incumbent: -5, bestLeaf: 2 }, 0.2);
  const chance = chanceOf(model, readHazard(view)!);
  expect(chance).toBeCloseTo(1 / (1 + Math.exp(5 * 0.8 - 2 * 0.9 - 0.2)), 12);
  expect(hazardExit(model).check(view)).toMatchObject({
    kind: 'settled',
    rule: 'hazard',
    evidence: { chance: Number(chance.toPrecision(6)), below: 0.5, incumbent: 0.8, runnerUp: 0.4, bestLeaf: 0.9 },
  });
  expect(hazardExit({ ...model, below: chance }).check(view)).toBeUndefined();
});

it('waits for a first completed path', () => {
  const tree = treeOf('product', [{ reward: 0.1 }]);
  expect(hazardExit(curve({}, -9)).check(viewOf(tree))).toBeUndefined();
  growBelow(tree, tree.node(1), [{ reward: 0.5, end: true }]);
  expect(hazardExit(curve({}, -9)).check(viewOf(tree))?.kind).toBe('settled');
});

it.each(['sum', 'mean', 'last'] as const)('refuses %s', (aggregation) => {
  const view = viewOf(treeOf(aggregation, [{ reward: 0.5, end: true }]));
  expect(() => hazardExit(curve({})).check(view)).toThrow(/rule 'hazard' needs aggregation/);
});
