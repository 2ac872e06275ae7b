// Questions with gold answers, from the text of a file: JSONL as the public test sets write it (question or problem; answer),
// or our own tasks (id, question, answer, difficulty, solvable).

import { extractAnswer } from '../answer/extract.ts';
import { raise } from '../base/fault.ts';
import { readText } from '../config/read-text.ts';

export interface GoldQuestion {
  readonly id: string;
  readonly question: string;
  /** Undefined where the question alone decides (puzzles). */
  readonly answer: string | undefined;
  /** False: there is no answer, and any answer is wrong. */
  readonly solvable: boolean;
  readonly difficulty: number | undefined;
}

type AnswerNeed = 'known' | 'known or not';

export function readQuestions(path: string, answers?: AnswerNeed): readonly GoldQuestion[] {
  return parseQuestions(path, readText(path), answers);
}

/** `name` is the file's, for messages. */
export function parseQuestions(name: string, text: string, answers: AnswerNeed = 'known'): readonly GoldQuestion[] {
  const questions = lines(name, text, answers);
  if (questions.length === 0) raise('bad-setting', `${name} holds no questions`);
  const ids = new Set(questions.map(({ id }) => id));
  if (ids.size < questions.length) raise('bad-setting', `${name} has two questions with one id`);
  return questions;
}

function lines(path: string, text: string, answers: AnswerNeed): GoldQuestion[] {
  const found: GoldQuestion[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() !== '')
      found.push(questionOf(`${path}:${index + 1}`, String(found.length), parse(path, index, line), answers));
  }
  return found;
}

function parse(path: string, index: number, line: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>;
  } catch {}
  return raise('bad-setting', `line ${index + 1} of ${path} is not a JSON object; a question file has one per line`);
}

function questionOf(
  where: string,
  fallbackId: string,
  value: Readonly<Record<string, unknown>>,
  answers: AnswerNeed,
): GoldQuestion {
  const question = value.question ?? value.problem;
  if (typeof question !== 'string' || question === '') {
    return raise('bad-setting', `${where} has neither a "question" nor a "problem"`);
  }
  const solvable = value.solvable !== false;
  const answer = goldAnswer(value.answer);
  if (answer === undefined && solvable && answers === 'known') return raise('bad-setting', `${where} has no "answer"`);
  const id = value.id ?? value.unique_id ?? fallbackId;
  const difficulty = value.difficulty ?? value.level;
  return {
    id: String(id),
    question,
    answer,
    solvable,
    difficulty: typeof difficulty === 'number' ? difficulty : undefined,
  };
}

/** The answer as such: what stands after "####" where the whole solution is given. */
function goldAnswer(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  if (typeof value !== 'string') return undefined;
  return value.includes('####') ? extractAnswer(value) : value;
}
