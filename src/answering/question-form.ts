// How a question is put to a model and how its answer is read: prompt, what ends a step, what the finished path says.

import { sameAnswer } from '../answer/canonical.ts';
import { extractAnswer } from '../answer/extract.ts';
import { isShipped } from '../engine/llama/shipped-models.ts';
import { countdown, parseCountdown } from '../task/countdown.ts';
import { isRecognised, recognise } from '../task/recognise.ts';
import type { Message, Prompt } from '../tree/step.ts';

import type { GoldQuestion } from './question-file.ts';

export interface QuestionForm {
  readonly prompt: Prompt;
  readonly delimiters: readonly string[];
  readonly maxStepTokens: number;
  readonly maxDepth: number;
  readonly temperature: number;
  readonly extract: (pathText: string) => string | undefined;
}

export const defaultStepPrompt =
  'Solve the problem step by step. Write each step as a short paragraph and leave an empty line between steps. ' +
  'End with a line that says "The answer is" and the answer.';

/** For any chat model: steps are paragraphs. */
export function generalForm(
  question: string,
  stepPrompt = defaultStepPrompt,
  delimiters: readonly string[] = ['\n\n'],
): QuestionForm {
  const system: readonly Message[] = stepPrompt === '' ? [] : [{ role: 'system', content: stepPrompt }];
  return {
    prompt: { kind: 'chat', messages: [...system, { role: 'user', content: question }] },
    delimiters,
    maxStepTokens: 256,
    maxDepth: 40,
    temperature: 0.8,
    extract: extractAnswer,
  };
}

/**
 * For the shipped models: one line per step, the question as they were trained on it (as it came, where it is not of their
 * kind). Text and not chat: what they saw in training is the question and a newline. Their longest answers have 23 lines.
 */
export function saplingForm(question: string): QuestionForm {
  const found = recognise(question);
  return {
    prompt: { kind: 'text', text: `${isRecognised(found) ? found.question : question}\n` },
    delimiters: ['\n'],
    maxStepTokens: 96,
    maxDepth: 24,
    temperature: 1,
    extract: extractAnswer,
  };
}

export function formFor(model: string, question: string): QuestionForm {
  return isShipped(model) ? saplingForm(question) : generalForm(question);
}

/** Whether an answer is right: by the question alone for puzzles, else by the gold answer. */
export function isRight(gold: GoldQuestion, answer: string | undefined): boolean {
  if (answer === undefined) return false;
  if (parseCountdown(gold.question) !== undefined) return countdown.check(gold.question, answer).right;
  return gold.answer !== undefined && sameAnswer(answer, gold.answer);
}
