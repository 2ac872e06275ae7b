// One simulated question: its kind, its length and how hard it is, drawn from a profile by its text alone.

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
  /** The depth that no step of an impossible question gets right. */
  readonly crux: number;
  readonly promptTokens: number;
  readonly answer: string;
}

/** First steps restate the question: they fail less often, and the verifier likes them more. Exponent on both. */
export const firstStepEase = 0.4;

export function questionOf(profile: QuestionProfile, text: string): Question {
  return drawQuestion(profile, hash(profile.name, text), mixLuck(profile.name, text));
}

/**
 * Place of a question in the mixture of kinds, 0 to 1. Questions numbered at the end of their text run through it evenly (a Weyl
 * sequence): a data set is a fixed mixture, not a sample of one.
 */
function mixLuck(name: string, text: string): number {
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
    crux: atOnce ? 1 : 2 + random.integer(Math.max(1, steps - 2)),
    promptTokens: 90 + Math.round(random.exponential(80)),
    answer: String(random.integer(1000)),
  };
}

/** Usual tokens of a step. */
const usualStep: Range = { low: 10, high: 256 };

/** Gives a question other lengths; it keeps its number of steps where that leaves them a usual length. */
export function sizedAs(
  question: Question,
  { stepTokens, stepTokensSpread }: QuestionProfile,
  size: QuestionSize,
): Question {
  const { promptTokens, answerTokens } = size;
  const fewest = Math.ceil(answerTokens / usualStep.high);
  const steps = Math.max(fewest, 1, Math.min(question.steps, Math.floor(answerTokens / usualStep.low)));
  // Lengths are rounded up: half a token more in the mean.
  const stepMean = Math.max(0.1, answerTokens / meanDepth({ ...question, steps }) - 0.5);
  const length = stepMean / (stepTokens * Math.exp(stepTokensSpread ** 2 / 2));
  return { ...question, promptTokens, steps, length, crux: Math.min(question.crux, steps) };
}

/** Mean steps of a path that nothing cuts off. */
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
  if (question.kind === 'impossible' && depth >= question.crux) return 0;
  return question.soundness ** ease;
}

export function endChance(question: Question, depth: number): number {
  if (depth < question.steps - 1) return 0;
  return depth >= question.steps + 3 ? 1 : 0.4;
}
