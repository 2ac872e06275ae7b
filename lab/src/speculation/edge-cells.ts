// P4's cells (../experiments/p4.ts): its parts, tasks, pairs of models and numbers of beams, and the trial of each cell. Prefix-aware order (P),
// memory by cost (M) and speculation (S) are added one after the other as in its figure 15, over the numbers of beams of its figure 12.

import type { QuestionProfile } from '@coppice/sim/engine';
import type { ProgramName } from 'coppice';
import type { LabPlan } from '../experiment/plan.ts';
import type { SettingName, TurnedWish } from '../service/index.ts';
import { type EdgeMachine, type EdgePair, edgePairs } from '../sim/gpu.ts';
import { type TrialSpec, trialDefaults } from '../sim/trial.ts';

/** As in figure 12. A beam of the paper is a growing path: `candidates` of them below each chosen one. */
export const beamCounts = [8, 16, 32, 64, 128, 256, 512] as const;
const candidates = 4;
/** Longest step of the paper (figure 11). */
const stepTokens = 2048;
/** Speculative strands: half as many as beams while those are few, then a quarter; chosen on seed 31. */
const leastSpeculation = 8;
const fewSpeculation = 32;

interface StageParts extends Pick<EdgeMachine, 'order' | 'split' | 'looksAhead' | 'alternates'> {
  readonly speculates: boolean;
}

/** Cumulative, then what differs from all three. P4's own baseline (§6.1) generates a level, then scores it: the two models never overlap. */
const stages = {
  none: { order: 'any', split: 'halves', speculates: false },
  "P4's baseline": { order: 'any', split: 'halves', speculates: false, alternates: true },
  P: { order: 'siblings', split: 'halves', speculates: false },
  'P+M': { order: 'siblings', split: 'cost', speculates: false },
  'P+M+S': { order: 'siblings', split: 'cost', speculates: true },
  S: { order: 'any', split: 'halves', speculates: true },
} as const satisfies Record<string, StageParts>;
export type EdgeStage = keyof typeof stages;
export const stageNames = Object.keys(stages) as readonly EdgeStage[];

/** Harder than P0's questions, with steps of very different lengths: 60 tokens in the median, 100 on average (P4, figure 3). */
const profiles = {
  aime: { name: 'aime', easyShare: 0.1, scalingShare: 0.3, meanSteps: 12, stepTokens: 60, stepTokensSpread: 1 },
  amc: { name: 'amc', meanSteps: 9, stepTokens: 45, stepTokensSpread: 1 },
} as const satisfies Record<string, Partial<QuestionProfile>>;
export type EdgeTask = keyof typeof profiles;
const setting: SettingName = 'amc23/8b';
export const edgeTasks = Object.keys(profiles) as readonly EdgeTask[];

interface EdgeProgram {
  readonly program: ProgramName;
  readonly knobs?: TurnedWish;
}

/** Figure 11: beam search, and what the paper calls its variants. */
export const variants = {
  beam: { program: 'beam' },
  dvts: { program: 'dvts' },
  'dynamic branching': { program: 'beam', knobs: { spread: 'score' } },
  'varying granularity': { program: 'beam', knobs: { firstSteps: 3, firstStepTokens: 64 } },
} as const satisfies Record<string, EdgeProgram>;
export type EdgeVariant = keyof typeof variants;

export interface EdgeCell {
  /** Other questions for each; the same for all that are compared. */
  readonly seed: number;
  readonly task: EdgeTask;
  readonly pair: EdgePair;
  readonly beams: number;
  readonly stage: EdgeStage;
  /** Plain beam search unless given. */
  readonly variant?: EdgeVariant;
}

export interface EdgeTrial extends EdgeCell {
  readonly spec: TrialSpec;
}

export function edgeTrials({
  seeds,
  beams,
  verifierReuses,
}: Pick<LabPlan, 'seeds' | 'beams' | 'verifierReuses'>): EdgeTrial[] {
  return seeds.flatMap((seed) =>
    edgeTasks.flatMap((task) =>
      edgePairs.flatMap((pair) =>
        beams.flatMap((count) =>
          stageNames.map((stage) => edgeTrial({ seed, task, pair, beams: count, stage }, verifierReuses)),
        ),
      ),
    ),
  );
}

/** Fewer where trees are large. */
function questionsAt(beams: number): number {
  return Math.max(1, Math.min(12, Math.floor(128 / beams)));
}

/** `verifierReuses`: if false, every path is computed anew for each of its steps, as in vLLM's pooling. */
export function edgeTrial(cell: EdgeCell, verifierReuses: boolean, requests = questionsAt(cell.beams)): EdgeTrial {
  const { seed, task, pair, beams, stage, variant = 'beam' } = cell;
  const { program, knobs = {} }: EdgeProgram = variants[variant];
  const { order, split, speculates, looksAhead = true, alternates }: StageParts = stages[stage];
  const chosen = beams / candidates;
  const strands = Math.max(leastSpeculation, Math.min(beams / 2, fewSpeculation), chosen);
  const ahead = speculates ? { speculate: strands } : {};
  // A beam is worth two rollouts.
  const size = { rollouts: 2 * chosen, branching: candidates, stepTokens };
  const spec: TrialSpec = {
    ...trialDefaults,
    setting,
    seed,
    profile: profiles[task],
    requests,
    rollouts: size.rollouts,
    edge: { pair, order, split, verifierReuses, looksAhead, ...given({ alternates }) },
    arrivals: { kind: 'one-by-one' },
    budget: chosen + (speculates ? strands : 0),
    contender: { program, policy: 'vanilla', knobs: { ...size, ...knobs, ...ahead } },
  };
  return { ...cell, spec };
}

/** Without what is not set: a trial is known by its data. */
function given<Some extends object>(some: Some): Partial<Some> {
  return Object.fromEntries(Object.entries(some).filter(([, value]) => value !== undefined)) as Partial<Some>;
}
