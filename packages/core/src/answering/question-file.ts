// Questions with gold answers, from the text of a file: JSONL as the public test sets write it (question or problem; answer),
// our own tasks (id, question, answer, difficulty, solvable), or a CSV with a column of Game-of-24 puzzles.

import { readFileSync } from 'node:fs';
import { extractAnswer } from '../answer/extract.ts';
import { raise } from '../base/fault.ts';

export interface GoldQuestion {
  readonly id: string;
  readonly question: string;
  /** Undefined where the question alone decides (puzzles). */
  readonly answer: string | undefined;
  /** False: there is no answer, and any answer is wrong. */
  readonly solvable: boolean;
  readonly difficulty: number | undefined;
}

const puzzleColumn = 'Puzzles';
const puzzleTarget = 24;

type AnswerNeed = 'known' | 'known or not';

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

/** `name` is the file's, for messages; one that ends in .csv holds puzzles. */
export function parseQuestions(name: string, text: string, answers: AnswerNeed = 'known'): readonly GoldQuestion[] {
  const questions = name.endsWith('.csv') ? puzzles(name, text) : lines(name, text, answers);
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

function puzzles(path: string, text: string): GoldQuestion[] {
  const [head = '', ...rows] = text.split('\n').filter((line) => line.trim() !== '');
  const column = head.split(',').findIndex((name) => name.trim() === puzzleColumn);
  if (column < 0) raise('bad-setting', `${path} has no column "${puzzleColumn}"`);
  return rows.map((row, index) => {
    const numbers = row.split(',')[column]?.trim() ?? '';
    if (!/^\d+( \d+)+$/.test(numbers))
      raise('bad-setting', `line ${index + 2} of ${path} holds no puzzle: "${numbers}"`);
    const question = `Make ${puzzleTarget} from ${numbers}.`;
    return { id: String(index + 1), question, answer: undefined, solvable: true, difficulty: undefined };
  });
}
