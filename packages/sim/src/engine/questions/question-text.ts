// The text of the question model's steps: state and key, and in the last step the answer. Only this file knows the format.

import type { Random } from '@coppice/core/base';
import type { PathStep } from '@coppice/core/engine';
import type { Step } from '@coppice/core/tree';
import type { Question } from './question.ts';
import type { StepState, Tip } from './question-profile.ts';

export function extractAnswer(pathText: string): string | undefined {
  const at = pathText.lastIndexOf('\nanswer ');
  return at < 0 ? undefined : pathText.slice(at + 8);
}

export function isOwn({ text }: Step): boolean {
  return /^(?:sound|hidden|flawed) \d/.test(text);
}

export function tipOf(question: Question, path: readonly PathStep[]): Tip {
  const last = path[path.length - 1];
  return last === undefined ? { key: question.key, state: 'sound' } : read(last.step);
}

const stateMarks = ['\nsound ', '\nhidden ', '\nflawed '];
const states: Readonly<Record<string, StepState>> = { s: 'sound', h: 'hidden', f: 'flawed' };

/** Reads the last line of a text that may hold several steps. */
export function read({ text: whole }: Step): Tip {
  let from = 0;
  for (const mark of stateMarks) from = Math.max(from, whole.lastIndexOf(mark) + 1);
  const text = from === 0 ? whole : whole.slice(from);
  const state = states[text[0] ?? ''] ?? 'flawed';
  return { key: Number.parseInt(text.slice(state.length + 1), 10), state };
}

/** Right paths agree. Wrong paths differ, but some mistakes are more common than others. */
export function answerOf(question: Question, state: StepState, random: Random): string {
  if (state === 'sound') return question.answer;
  let mistake = 1;
  while (mistake < 9 && random.chance(0.6)) mistake += 1;
  return String((Number(question.answer) + 7 * mistake) % 1000);
}
