// Puts a question to a model, and tells whether an answer to it is right.

import { asksForShortAnswer } from '../answer/asked.ts';
import { sameAnswer } from '../answer/canonical.ts';
import { type Task, taskOf } from '../answer/task.ts';
import { registeredTasks } from '../config/plugin.ts';
import type { Prompt } from '../tree/step.ts';
import type { GoldQuestion } from './question-file.ts';

/** A system message that says in which form to answer: advice behind it would say the opposite. */
const saysForm =
  /\b(?:json|xml|yaml|boxed|format|only|just|brief|briefly|concise|one word|single|without|do not|don't|never)\b/i;

/** The question of a conversation: the last that the user said. */
export function lastAsked(prompt: Prompt): string {
  if (prompt.kind === 'text') return prompt.text;
  return prompt.messages.findLast(({ role }) => role === 'user')?.content ?? '';
}

/** True where a chat model is told how to answer although its operator says nothing: a short answer is wanted, in no other form. */
export function wantsAdvice(prompt: Prompt): boolean {
  if (prompt.kind === 'text' || !asksForShortAnswer(lastAsked(prompt))) return false;
  return !prompt.messages.some(({ role, content }) => role === 'system' && saysForm.test(content));
}

const titleLength = 120;

export function askedQuestion(question: string): { readonly prompt: Prompt; readonly title: string } {
  const prompt: Prompt = { kind: 'chat', messages: [{ role: 'user', content: question }] };
  return { prompt, title: question.trim().slice(0, titleLength).toWellFormed() };
}

export function isGradable({ question, answer }: GoldQuestion): boolean {
  return answer !== undefined || decidingTask(question) !== undefined;
}

/** Checks a puzzle by its question alone, others by the gold answer. */
export function isRight(gold: GoldQuestion, answer: string | undefined): boolean {
  if (answer === undefined) return false;
  const task = decidingTask(gold.question);
  if (task !== undefined) return task.check(gold.question, answer).right;
  return gold.answer !== undefined && sameAnswer(answer, gold.answer);
}

/** The task whose checker alone says whether an answer to it is right. */
export function decidingTask(question: string): Task | undefined {
  const task = taskOf(registeredTasks(), question);
  return task?.decides ? task : undefined;
}
