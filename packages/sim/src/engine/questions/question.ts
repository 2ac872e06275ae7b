// One simulated question: kind, length and difficulty, drawn from a profile by its text alone.

import { hash, Random } from '@coppice/core/base';
import type { QuestionProfile, QuestionSize, Range } from './question-profile.ts';

export interface Question {
  readonly key: number;
  readonly kind: 'easy' | 'scaling' | 'impossible';
  readonly soundness: number;
  readonly strictness: number;
  readonly missChance: number;
  readonly steps: number;
  readonly length: number;
  /** Depth at which every step of an impossible question is wrong. */
  readonly failingDepth: number;
  readonly promptTokens: number;
  readonly answer: string;
}

/** Exponent on soundness and rewards of first steps: they restate the question, so they fail less often and score higher. */
export const firstStepEase = 0.4;

export function questionOf(profile: QuestionProfile, text: string): Question {
  return drawQuestion(profile, hash(profile.name, text), mixturePlace(profile.name, text));
}

/**
 * Place of a question in the mixture of kinds, 0 to 1. Numbers at the end of the texts spread evenly over it (a Weyl sequence), so that
 * every data set has the same mixture.
 */
function mixturePlace(name: string, text: string): number {
  const numbered = /^(.*?)(\d+)$/s.exec(text);
  if (numbered === null) return hash(name, text, 'kind') / 4294967296;
  const start = hash(name, numbered[1]!, 'kind') / 4294967296;
  return (start + Number(numbered[2]) * 0.6180339887498949) % 1;
}

function drawQuestion(profile: QuestionProfile, key: number, luck: number): Question {
  const random = new Random('question', key);
  const isEasy = luck < profile.easyShare;
  const kind = isEasy ? 'easy' : luck < profile.easyShare + profile.scalingShare ? 'scaling' : 'impossible';
  const habits = profile[kind];
  const steps = Math.max(3, Math.round(profile.meanSteps * Math.exp(random.normal(-0.045, 0.3))));
  const missChance = random.chance(profile.blindShare) ? profile.blindChance : profile.missChance;
  const atOnce = random.chance(profile.impossibleAtOnce);
  return {
    key,
    kind,
    steps,
    missChance,
    length: Math.exp(new Random('length', key).normal(0, profile.lengthSpread ?? 0)),
    soundness: within(habits.soundness, random),
    strictness: within(habits.strictness, random),
    failingDepth: atOnce ? 1 : 2 + random.integer(Math.max(1, steps - 2)),
    promptTokens: 90 + Math.round(random.exponential(80)),
    answer: String(random.integer(1000)),
  };
}

/** Usual range of a step's tokens. */
const usualStep: Range = { low: 10, high: 256 };

/** Gives a question other lengths. Its number of steps stays if the steps then have a usual length. */
export function sizedAs(
  question: Question,
  { stepTokens, stepTokensSpread }: QuestionProfile,
  size: QuestionSize,
): Question {
  const { promptTokens, answerTokens } = size;
  const fewest = Math.ceil(answerTokens / usualStep.high);
  const steps = Math.max(fewest, 1, Math.min(question.steps, Math.floor(answerTokens / usualStep.low)));
  // Rounding up adds half a token on average.
  const stepMean = Math.max(0.1, answerTokens / meanDepth({ ...question, steps }) - 0.5);
  const length = stepMean / (stepTokens * Math.exp(stepTokensSpread ** 2 / 2));
  return { ...question, promptTokens, steps, length, failingDepth: Math.min(question.failingDepth, steps) };
}

/** Mean steps of a path without a limit. */
function meanDepth(question: Question): number {
  let [reached, sum] = [1, 0];
  for (let depth = 1; reached > 0; depth += 1) {
    sum += reached;
    reached *= 1 - endChance(question, depth);
  }
  return sum;
}

export function within(range: Range, random: Random): number {
  return range.low + (range.high - range.low) * random.uniform();
}

export function soundnessAt(question: Question, depth: number, ease = depth === 1 ? firstStepEase : 1): number {
  if (question.kind === 'impossible' && depth >= question.failingDepth) return 0;
  return question.soundness ** ease;
}

export function endChance(question: Question, depth: number): number {
  if (depth < question.steps - 1) return 0;
  return depth >= question.steps + 3 ? 1 : 0.4;
}
