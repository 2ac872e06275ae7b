// How a question is put to a model, and whether an answer to it is right.

import { sameAnswer } from '../answer/canonical.ts';
import { countdown, parseCountdown } from '../task/countdown.ts';
import { isRecognised, recogniseFor } from '../task/recognise.ts';
import type { Prompt } from '../tree/step.ts';
import type { GoldQuestion } from './question-file.ts';

/** A model's own prompt for what was asked, or a reason where the question is not of its kind. */
export type FormQuestion = (asked: Prompt) => Prompt | { readonly reason: string };

/** For any chat model, where a command asks: steps are paragraphs. */
export const defaultStepPrompt =
  'Solve the problem step by step. Write each step as a short paragraph and leave an empty line between steps. ' +
  'End with a line that says "The answer is" and the answer.';

const titleLength = 120;

/** A bare question, as a command asks it. */
export function askedQuestion(question: string): { readonly prompt: Prompt; readonly title: string } {
  const prompt: Prompt = { kind: 'chat', messages: [{ role: 'user', content: question }] };
  return { prompt, title: question.trim().slice(0, titleLength).toWellFormed() };
}

/**
 * For the shipped models: the question as they were trained on it. Text and not chat: what they saw in training is the
 * question and a newline. They take one question and no conversation; the last is what counts.
 */
export function saplingPrompt(model: string, asked: Prompt): Prompt | { readonly reason: string } {
  const last = asked.kind === 'chat' ? asked.messages.findLast(({ role }) => role === 'user')?.content : asked.text;
  const found = recogniseFor(model, last ?? '');
  return isRecognised(found) ? { kind: 'text', text: `${found.question}\n` } : { reason: found.message };
}

/** Whether an answer is right: by the question alone for puzzles, else by the gold answer. */
export function isRight(gold: GoldQuestion, answer: string | undefined): boolean {
  if (answer === undefined) return false;
  if (parseCountdown(gold.question) !== undefined) return countdown.check(gold.question, answer).right;
  return gold.answer !== undefined && sameAnswer(answer, gold.answer);
}
