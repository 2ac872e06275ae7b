// The four settings of P0's evaluation (§5.1): two data sets, each under a generator of 8B and of 14B parameters. The profiles were
// fitted by hand on seeds that no report uses (lab/docs/simulator.md).

import { raise } from '@coppice/core/base';
import { checkConfig, type ModelConfig } from '@coppice/core/config';
import '@coppice/sim';
import type { QuestionProfile } from '@coppice/sim/engine';

export const settingNames = ['math500/8b', 'math500/14b', 'amc23/8b', 'amc23/14b'] as const;
export type SettingName = (typeof settingNames)[number];

/** Our choice: P0 has 12 rollouts in figure 2, 32 in figure 3, and 16 concurrent jobs, and gives no steps per expansion. */
export const searchDefaults = { threshold: 0.65, rollouts: 16, branching: 4, budget: 128, stepTokens: 512 };

const simulated = { name: 'simulated', engine: { kind: 'sim' }, verifier: { kind: 'sim' } };
const { branching, stepTokens } = searchDefaults;
export const modelConfig: ModelConfig = checkConfig({ models: [{ ...simulated, branching, stepTokens }] }).models[0]!;

const shared = {
  impossibleAtOnce: 0.12,
  stepTokens: 40,
  stepTokensSpread: 0.7,
  blindChance: 0.5,
  missChance: 0.02,
  // Steps of 40 tokens at temperature 0.8 are hardly ever the same.
  twinRate: 0,
} as const;

const math = {
  ...shared,
  easy: { soundness: { low: 0.93, high: 1 }, strictness: { low: 1.8, high: 3 } },
  scaling: { soundness: { low: 0.5, high: 0.85 }, strictness: { low: 1.8, high: 2.6 } },
  impossible: { soundness: { low: 0.6, high: 0.9 }, strictness: { low: 1.8, high: 2.6 } },
  meanSteps: 7,
} as const;

const amc = {
  ...shared,
  easy: { soundness: { low: 0.93, high: 1 }, strictness: { low: 1.6, high: 2.6 } },
  scaling: { soundness: { low: 0.5, high: 0.85 }, strictness: { low: 1.6, high: 2.4 } },
  impossible: { soundness: { low: 0.6, high: 0.9 }, strictness: { low: 1.6, high: 2.4 } },
  meanSteps: 9,
  stepTokens: 45,
} as const;

const profiles: Readonly<Record<SettingName, QuestionProfile>> = {
  'math500/8b': { ...math, name: 'math500/8b', easyShare: 0.46, scalingShare: 0.38, blindShare: 0.1 },
  'math500/14b': { ...math, name: 'math500/14b', easyShare: 0.67, scalingShare: 0.265, blindShare: 0.06 },
  'amc23/8b': { ...amc, name: 'amc23/8b', easyShare: 0.22, scalingShare: 0.48, blindShare: 0.12 },
  'amc23/14b': { ...amc, name: 'amc23/14b', easyShare: 0.38, scalingShare: 0.46, blindShare: 0.1 },
};

export function profileOf(name: string): QuestionProfile & { readonly name: SettingName } {
  const known = settingNames.find((each) => each === name);
  if (known === undefined)
    return raise('bad-setting', `--setting is '${name}'; it must be one of ${settingNames.join(', ')}`);
  return { ...profiles[known], name: known };
}
