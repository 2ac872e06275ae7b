import { QuestionModel, type QuestionProfile } from '@coppice/sim/engine';
import { expect, it } from 'vitest';
import type { RecordedTree } from '../service/index.ts';
import { drawTree, fitProfile } from './fit-profile.ts';
import { fitTable } from './fit-table.ts';
import { treeStatistics } from './tree-statistics.ts';

const step = (text: string, end: 'delimiter' | 'eos' = 'delimiter') => ({ text, tokens: 4, meanLogprob: 0, end });

it('reads twins, soundness and AUC off a tree: four draws of the root, three of them one step', () => {
  const tree: RecordedTree = {
    question: 'q',
    promptTokens: 1,
    nodes: [
      { draws: [1, 2, 1, 1] },
      { step: step('a'), reward: 0.9, draws: [3, 4, 3] },
      { step: step('b'), reward: 0.4, draws: [5] },
      { step: step('right', 'eos'), reward: 0.8, right: true, draws: [] },
      { step: step('wrong', 'eos'), reward: 0.8, right: false, draws: [] },
      { step: step('wrong', 'eos'), reward: 0.1, right: false, draws: [] },
    ],
  };
  const { right, solved, steps, shares, depths } = treeStatistics(Array(20).fill(tree));
  expect([right, solved, steps, shares[0]]).toEqual([0.5, 1, 2, 0.5]);
  // Of the root's four draws two repeat an earlier one of three; below a one of two does, and its siblings score alike.
  expect(depths).toEqual([
    { depth: 1, draws: 80, twinRate: 2 / 3, soundness: 0.75, auc: 1 },
    { depth: 2, draws: 60, twinRate: 0.5, soundness: 2 / 3, auc: 0.5 },
  ]);
});

it('finds a profile again from trees that were drawn from it', () => {
  const kind = { soundness: { low: 0.7, high: 0.9 }, strictness: { low: 1, high: 1 } };
  const profile: QuestionProfile = {
    name: 'known',
    easyShare: 0.3,
    scalingShare: 0.5,
    easy: { ...kind, soundness: { low: 1, high: 1 } },
    scaling: kind,
    impossible: kind,
    impossibleAtOnce: 1,
    meanSteps: 5,
    stepTokens: 12,
    stepTokensSpread: 0.3,
    blindShare: 0,
    blindChance: 0,
    missChance: 0.1,
    twinRate: 0.4,
    byDepth: [
      { ease: 0.5, missChance: 0.4, twinRate: 0.8 },
      { ease: 1, missChance: 0.1, twinRate: 0.4 },
    ],
  };
  const model = new QuestionModel(profile);
  const trees = Array.from({ length: 120 }, (_, at) => drawTree(model, { kind: 'text', text: `known ${at}` }, 16));
  const { profile: found, recorded, modelled } = fitProfile('found', trees, 16);
  expect(found.byDepth?.[0]?.twinRate).toBeCloseTo(0.8, 1);
  expect(found.byDepth?.[1]?.twinRate).toBeCloseTo(0.4, 1);
  expect(found.byDepth![0]!.missChance).toBeGreaterThan(found.byDepth![1]!.missChance);
  expect(found.byDepth![0]!.ease).toBeLessThan(found.byDepth![1]!.ease);
  expect(Math.abs(modelled.right - recorded.right)).toBeLessThan(0.1);
  expect(Math.abs(modelled.solved - recorded.solved)).toBeLessThan(0.1);
  expect(fitTable({ profile: found, recorded, modelled })).toMatch(/^largest misfit of a share: \d+ points$/m);
});
