// The question model's replies to texts that are not steps: a probe in the middle of a path, or attempts to judge.

import { hash, Random } from '@coppice/core/base';
import type { GenerateRequest } from '@coppice/core/engine';
import type { Step } from '@coppice/core/tree';
import { type Question, within } from './question.ts';
import type { Range } from './question-profile.ts';
import { answerOf, tipOf } from './question-text.ts';

/** Share of the solution from which the model knowsAfter its answer; drawn per question. */
const knowsAfter: Range = { low: 0.3, high: 1 };
/** Entropy of an answer's first token in nats, for a known and for a guessed answer. */
const knownEntropy: Range = { low: 0.02, high: 0.1 };
const guessEntropy: Range = { low: 0.5, high: 3 };
const replyTokens = 6;

/** Answers a probe, whose text is the last step of the path. */
export function probeReply(question: Question, { path, maxTokens }: GenerateRequest): Step {
  const steps = path.slice(0, -1);
  const { key, state } = tipOf(question, steps);
  const random = new Random('probe', key);
  const isKnown = steps.length >= within(knowsAfter, new Random('knows', question.key)) * question.steps;
  const entropy = within(isKnown ? knownEntropy : guessEntropy, random);
  if (maxTokens < replyTokens) return { text: ' ', tokens: maxTokens, meanLogprob: -entropy, end: 'length', entropy };
  const answer = isKnown ? answerOf(question, state, random) : String(random.integer(1000));
  return { text: `\nanswer ${answer}`, tokens: replyTokens, meanLogprob: -entropy, end: 'eos', entropy };
}

export function attemptsIn(text: string): string[] {
  return [...text.matchAll(/\nanswer (\d+)/g)].map(([, answer]) => answer!);
}

/** Chooses the answer of one of the attempts, weighted by the square of its count. */
export function aggregated(
  question: Question,
  { index, path, maxTokens }: GenerateRequest,
  attempts: readonly string[],
): Step {
  const key = hash(question.key, path.at(-1)?.step.text ?? '', index);
  const random = new Random('aggregate', key);
  const weighed = attempts.flatMap((answer) => attempts.filter((each) => each === answer));
  const answer = weighed[random.integer(weighed.length)]!;
  const state = answer === question.answer ? 'sound' : 'hidden';
  const tokens = Math.max(1, Math.min(maxTokens, question.steps * replyTokens * 4));
  return { text: `${state} ${key}\nanswer ${answer}`, tokens, meanLogprob: -0.2, end: 'eos' };
}
