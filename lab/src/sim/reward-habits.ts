// Errors of a simulated reward model beyond the noise of single steps: noise shared along a path, below a first step or in a
// whole question, and misleading rewards. Functions of the path alone; without habits, noise and state are unchanged.

import { Random } from '@coppice/core/base';
import type { QuestionProfile, RewardErrors, Tip } from '@coppice/sim/engine';
import { questionsOf, type SimulatedQuestions } from '../service/index.ts';

/** A question profile as data, with habits for its errors. */
export type ErringProfile = Partial<Omit<QuestionProfile, 'rewards'>> & { readonly rewards?: RewardHabits };

type Asked = Omit<Parameters<typeof questionsOf>[0], 'profile'> & { readonly profile?: ErringProfile };

export function erringQuestions({ profile, ...asked }: Asked): SimulatedQuestions {
  const { rewards, ...turned } = profile ?? {};
  return questionsOf({ ...asked, profile: { ...turned, ...(rewards && { rewards: errorsOf(rewards) }) } });
}

export function errorsOf(habits: RewardHabits): RewardErrors {
  return {
    noise: (questionKey, path, own) => sharedNoise(habits, questionKey, path, own),
    rewardedAs: (path) => rewardedAs(habits, path),
    within: (reward) => squeezed(habits, reward),
  };
}

export interface RewardHabits {
  /**
   * Shares of the noise that rewards have in common, at most 1 together: in a question, from one first step on, and along a
   * path, where each step keeps `pathMemory` of its parent's.
   */
  readonly ofQuestion?: number;
  readonly ofSubtree?: number;
  readonly ofPath?: number;
  /** For so many steps right paths recover and wrong ones decline: both get rewards of right steps, with these exponents. */
  readonly misleadingSteps?: number;
  /** Exponents: of a right first step, falling evenly to 1; of a wrong step at the end, risen evenly from 1. */
  readonly harshness?: number;
  readonly decline?: number;
  /** A wrong step is rewarded as a right one for so many steps. */
  readonly lateSteps?: number;
  /** Chance that a step is taken for its opposite. */
  readonly confusion?: number;
  /** All rewards lie from `lowest` to `highest`, in the same order as without. */
  readonly lowest?: number;
  readonly highest?: number;
}

const pathMemory = 0.9;

/** A standard normal, as `own` is. `path`: from the first step to this one. */
function sharedNoise(habits: RewardHabits, questionKey: number, path: readonly Tip[], own: number): number {
  const { ofQuestion = 0, ofSubtree = 0, ofPath = 0 } = habits;
  const parts = [
    ofQuestion === 0 ? 0 : Math.sqrt(ofQuestion) * new Random('question reward', questionKey).normal(),
    ofSubtree === 0 ? 0 : Math.sqrt(ofSubtree) * new Random('subtree reward', path[0]!.key).normal(),
    ofPath === 0 ? 0 : Math.sqrt(ofPath) * pathNoise(path),
    Math.sqrt(Math.max(0, 1 - ofQuestion - ofSubtree - ofPath)) * own,
  ];
  return parts.reduce((sum, part) => sum + part, 0);
}

function pathNoise(path: readonly Tip[]): number {
  const draws = path.map(({ key }) => new Random('path reward', key).normal());
  return draws.reduce((before, own) => pathMemory * before + Math.sqrt(1 - pathMemory ** 2) * own);
}

function rewardedAs(habits: RewardHabits, path: readonly Tip[]): { isFlawed: boolean; exponent: number } {
  const { misleadingSteps = 0, harshness = 1, decline = 1, lateSteps = 0, confusion = 0 } = habits;
  const { key, state } = path.at(-1)!;
  if (misleadingSteps > 0) {
    const along = Math.min(1, (path.length - 1) / misleadingSteps);
    return { isFlawed: false, exponent: state === 'sound' ? blend(harshness, 1, along) : blend(1, decline, along) };
  }
  const isConfused = confusion > 0 && new Random('confusion', key).chance(confusion);
  const isFlawed = state === 'flawed' && wrongFor(path) > lateSteps;
  return { isFlawed: isFlawed !== isConfused, exponent: 1 };
}

function blend(from: number, to: number, along: number): number {
  return from + (to - from) * along;
}

function wrongFor(path: readonly Tip[]): number {
  return path.length - 1 - path.findLastIndex(({ state }) => state === 'sound');
}

function squeezed({ lowest = 0, highest = 1 }: RewardHabits, reward: number): number {
  return lowest + (highest - lowest) * reward;
}
