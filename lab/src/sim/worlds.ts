// The worlds in which every policy is compared with `positive`: extreme errors of a reward model, and ways in which rewards become
// scores. Data alone. Reported figures use these seeds; constants were chosen on seeds 801 and 802.

import type { Aggregation, Choice } from 'coppice';
import { oneOf } from '../flags.ts';
import type { ErringProfile } from './reward-habits.ts';
import type { TrialSpec } from './trial.ts';

interface RewardWorld {
  readonly name: string;
  /** How its rewards err. */
  readonly about: string;
  /** Of its first questions; further seeds follow it. */
  readonly seed: number;
  readonly profile: ErringProfile;
}

export const worlds = [
  { name: 'plain', about: 'alike among siblings alone', seed: 1100, profile: {} },
  { name: 'path', about: 'alike along a path', seed: 1200, profile: { rewards: { ofPath: 0.6 } } },
  { name: 'subtree', about: 'alike below a first step', seed: 1300, profile: { rewards: { ofSubtree: 0.6 } } },
  { name: 'question', about: 'alike in a question', seed: 1400, profile: { rewards: { ofQuestion: 0.6 } } },
  {
    name: 'misleading',
    about: 'right paths start low and recover, wrong ones start high',
    seed: 1500,
    profile: { rewards: { misleadingSteps: 4, harshness: 4, decline: 6 } },
  },
  {
    name: 'flattering',
    about: 'misleading, and wrong paths hardly end below right ones',
    seed: 1600,
    profile: { rewards: { misleadingSteps: 6, harshness: 2, decline: 4 } },
  },
  {
    name: 'compressed',
    about: 'all from 0.5 to 0.95',
    seed: 1700,
    profile: { rewards: { lowest: 0.5, highest: 0.95 } },
  },
  { name: 'late', about: 'a wrong step is seen three steps later', seed: 1800, profile: { rewards: { lateSteps: 3 } } },
  {
    name: 'confused',
    about: 'one step in ten is taken for its opposite',
    seed: 1900,
    profile: { rewards: { confusion: 0.1 } },
  },
  {
    name: 'measured',
    about: 'alike along a path and in a question as the scores of a 1.5B model are',
    seed: 2100,
    profile: { rewards: { ofQuestion: 0.32, ofPath: 0.58 } },
  },
  { name: 'blind', about: 'half of the questions are misread', seed: 2000, profile: { blindShare: 0.5 } },
] as const satisfies readonly RewardWorld[];

export type WorldName = (typeof worlds)[number]['name'];

interface Scoring {
  readonly name: string;
  readonly aggregation: Aggregation;
  readonly choose: Choice;
  readonly threshold: number;
}

/** Ways in which a path's rewards become its score, which also scores an answer. */
export const scorings = [
  { name: 'product', aggregation: 'product', choose: 'best', threshold: 0.65 },
  { name: 'minimum', aggregation: 'minimum', choose: 'best', threshold: 0.9 },
  { name: 'mean', aggregation: 'mean', choose: 'best', threshold: 0.9 },
  { name: 'last', aggregation: 'last', choose: 'best', threshold: 0.9 },
  { name: 'vote', aggregation: 'product', choose: 'vote', threshold: 0.65 },
  // A weighted majority, and no answer is accepted before all have come.
  { name: 'weighted', aggregation: 'last', choose: 'vote', threshold: 1 },
] as const satisfies readonly Scoring[];

export type ScoringName = (typeof scorings)[number]['name'];

export function worldOf(name: string): RewardWorld & { readonly name: WorldName } {
  const names = worlds.map((each) => each.name);
  return worlds[names.indexOf(oneOf('world', name, names))]!;
}

export function scoringOf(name: string): Scoring & { readonly name: ScoringName } {
  const names = scorings.map((each) => each.name);
  return scorings[names.indexOf(oneOf('scoring', name, names))]!;
}

/** The world's fields of a trial's spec; none without a world. */
export function worldlySpec(
  world: WorldName | undefined,
  scoring: ScoringName | undefined,
): Partial<Pick<TrialSpec, 'profile' | 'aggregation' | 'choose' | 'threshold'>> {
  const { aggregation, choose, threshold } = scoringOf(scoring ?? 'product');
  return {
    ...(world && { profile: worldOf(world).profile }),
    ...(scoring && { aggregation, choose, threshold }),
  };
}
