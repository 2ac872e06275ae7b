// The hardware of the four settings of P0's evaluation (§5.1), simulated: a generator of 8B or 14B parameters and a 7B reward model, two
// GPUs a side as two replicas. The questions are the product's (`npm run lab -- rehearse` uses them too).

import { type CostModel, tableCost } from '@coppice/core/cost';
import type { QuestionProfile } from '@coppice/sim/engine';
import { profileOf, type SettingName } from '../service/index.ts';
import { llama8b, type MeasuredModel, prm7b } from './measured-models.ts';
import { qwen14b } from './qwen14b.ts';
import { h100, h200, kvTokensFitting, rooflineCost } from './roofline.ts';

export interface Setting {
  readonly name: SettingName;
  readonly generator: MeasuredModel;
  readonly rewardModel: MeasuredModel;
  readonly profile: QuestionProfile;
  /** What P0's Table 1 reports for serial MCTS: the target of the calibration, in percent. */
  readonly paperAccuracy: number;
}

/** One GPU's share of the work; memory as on the paper's H100, times as measured on an H200. */
export const hardware = { replicas: 2, memoryBytes: 80e9, memoryShare: 0.9, sequenceLimit: 256 };

const paperAccuracy: Readonly<Record<SettingName, number>> = {
  'math500/8b': 75.3,
  'math500/14b': 88.3,
  'amc23/8b': 57.5,
  'amc23/14b': 72.5,
};

export function settingOf(name: string): Setting {
  const profile = profileOf(name);
  const known = profile.name;
  const generator = known.endsWith('/8b') ? llama8b : qwen14b;
  return { name: known, generator, rewardModel: prm7b, profile, paperAccuracy: paperAccuracy[known] };
}

export const gpus = { h100, h200 } as const;
export type GpuName = keyof typeof gpus;

/** Measured costs, or those of a GPU's roofline. */
export function costOf(model: MeasuredModel, roofline: GpuName | undefined): CostModel {
  return roofline === undefined ? tableCost(model.points) : rooflineCost(gpus[roofline], model.shape);
}

export function kvTokensOf(model: MeasuredModel): number {
  return kvTokensFitting(model.shape, hardware.memoryBytes, hardware.memoryShare);
}
