// Reads a file of questions with gold answers; src/task/questions.ts knows the formats.

import { readFileSync } from 'node:fs';
import { raise } from '../base/fault.ts';
import { type AnswerNeed, type GoldQuestion, parseQuestions } from './questions.ts';

export type { GoldQuestion } from './questions.ts';

export function readQuestions(path: string, answers?: AnswerNeed): readonly GoldQuestion[] {
  return parseQuestions(path, readText(path), answers);
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    return raise('bad-setting', `cannot read ${path}: ${error instanceof Error ? error.message : String(error)}`);
  }
}
