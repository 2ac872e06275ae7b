// How the reward model of a simulated question errs beyond the noise of single steps: what rewards have in common along a path, below a
// first step or in a whole question, and the ways in which they mislead. Habits turn a step's own noise and state into what its
// reward is drawn from; without habits both stay as they are. Functions of the path alone, as every draw is.

import { Random } from '@coppice/core/base';

/** Sound: right so far. Hidden: wrong, and the verifier has not seen it. Flawed: wrong, and it has. */
export type StepState = 'sound' | 'hidden' | 'flawed';

/** A step as the question model writes it down. */
export interface Tip {
  readonly key: number;
  readonly state: StepState;
}

export interface RewardHabits {
  /** Shares of the noise that rewards have in common, at most 1 together. What is left is of siblings and of the step itself. */
  readonly ofQuestion?: number;
  /** Of all steps from one first step on. */
  readonly ofSubtree?: number;
  /** Of a step and those before it: each keeps `pathMemory` of its parent's. */
  readonly ofPath?: number;
  /** Over so many steps right paths recover and wrong ones decline: both are rewarded by the shape of right steps, with these exponents. */
  readonly misleadingSteps?: number;
  /** On a right first step, falling evenly to 1; and on a wrong step at the end, risen evenly from 1. */
  readonly harshness?: number;
  readonly decline?: number;
  /** A wrong step is rewarded as a right one for so many steps, and seen for what it is then. */
  readonly lateSteps?: number;
  /** Chance that a step is taken for its opposite. */
  readonly confusion?: number;
  /** All rewards lie from `lowest` to `highest`, in the same order as without. */
  readonly lowest?: number;
  readonly highest?: number;
}

/** What a step on a path keeps of its parent's error. */
const pathMemory = 0.9;

/** Standard normal as `own` is, which keeps what no habit takes. `path`: from the first step to this one. */
export function sharedNoise(habits: RewardHabits, questionKey: number, path: readonly Tip[], own: number): number {
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

/** Whether the last step of the path is rewarded as a flawed one, and the exponent on its reward besides. */
export function rewardedAs(habits: RewardHabits, path: readonly Tip[]): { isFlawed: boolean; exponent: number } {
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

/** For how many steps the path has been wrong, the last included. */
function wrongFor(path: readonly Tip[]): number {
  return path.length - 1 - path.findLastIndex(({ state }) => state === 'sound');
}

export function squeezed({ lowest = 0, highest = 1 }: RewardHabits, reward: number): number {
  return lowest + (highest - lowest) * reward;
}
