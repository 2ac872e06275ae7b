// How a question is put to a model, and whether an answer to it is right.

import { sameAnswer } from '../answer/canonical.ts';
import type { Speaker } from '../config/vocabulary.ts';
import { countdown, parseCountdown } from '../task/countdown.ts';
import { isRecognised, recogniseFor } from '../task/recognise.ts';
import type { Prompt } from '../tree/step.ts';
import type { GoldQuestion } from './question-file.ts';
import { refuseSetting } from './refusal.ts';

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

/** The model's own form of what was asked, or the conversation as it came with the operator's advice on steps. */
export function promptFor(
  asked: Prompt,
  direct: boolean,
  model: { readonly config: { readonly stepPrompt: string }; readonly form?: FormQuestion | undefined },
  speaker: Speaker,
): Prompt {
  if (model.form === undefined) return direct ? asked : advise(asked, model.config.stepPrompt);
  const formed = model.form(asked);
  return 'reason' in formed ? refuseSetting('invalid', 'question', speaker, `cannot be put: ${formed.reason}`) : formed;
}

function advise(prompt: Prompt, advice: string): Prompt {
  if (advice === '' || prompt.kind === 'text') return prompt;
  const [first, ...rest] = prompt.messages;
  if (first?.role !== 'system')
    return { kind: 'chat', messages: [{ role: 'system', content: advice }, ...prompt.messages] };
  return { kind: 'chat', messages: [{ role: 'system', content: `${first.content}\n\n${advice}` }, ...rest] };
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
