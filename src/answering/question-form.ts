// How a question is put to a model, and whether an answer to it is right.

import { asksForShortAnswer } from '../answer/asked.ts';
import { sameAnswer } from '../answer/canonical.ts';
import { countdown, parseCountdown } from '../task/countdown.ts';
import { isRecognised, recogniseFor } from '../task/recognise.ts';
import type { Prompt } from '../tree/step.ts';
import type { GoldQuestion } from './question-file.ts';

/** A model's own prompt for what was asked, or a reason where the question is not of its kind. */
export type FormQuestion = (asked: Prompt) => Prompt | { readonly reason: string };

/** A system message that says in which form to answer: advice behind it would say the opposite. */
const saysForm =
  /\b(?:json|xml|yaml|boxed|format|only|just|brief|briefly|concise|one word|single|without|do not|don't|never)\b/i;

/** What the question of a conversation is: the last that the user said. */
export function lastAsked(prompt: Prompt): string {
  if (prompt.kind === 'text') return prompt.text;
  return prompt.messages.findLast(({ role }) => role === 'user')?.content ?? '';
}

/** Whether a chat model is told how to give its answer, where its operator says nothing: a short answer is wanted, in no other form. */
export function wantsAdvice(prompt: Prompt): boolean {
  if (prompt.kind === 'text' || !asksForShortAnswer(lastAsked(prompt))) return false;
  return !prompt.messages.some(({ role, content }) => role === 'system' && saysForm.test(content));
}

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
  const found = recogniseFor(model, lastAsked(asked));
  return isRecognised(found) ? { kind: 'text', text: `${found.question}\n` } : { reason: found.message };
}

/** Whether the file or the question itself says what is right. */
export function isGradable({ question, answer }: GoldQuestion): boolean {
  return answer !== undefined || parseCountdown(question) !== undefined;
}

/** Whether an answer is right: by the question alone for puzzles, else by the gold answer. */
export function isRight(gold: GoldQuestion, answer: string | undefined): boolean {
  if (answer === undefined) return false;
  if (parseCountdown(gold.question) !== undefined) return countdown.check(gold.question, answer).right;
  return gold.answer !== undefined && sameAnswer(answer, gold.answer);
}
