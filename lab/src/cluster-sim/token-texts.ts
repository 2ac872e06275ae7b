// The tokenizer of the simulated model. Each prompt and each written step has a number, which its first tokens encode, so a list of tokens
// identifies its path without a comparison. The number is made from the text: in every run the same words have the same tokens, and
// with the same seed the same steps follow. Forgets a question when its search is over.

import { hash } from '@coppice/core/base';
import type { PathStep } from '@coppice/core/engine';

type WrittenStep = PathStep['step'];

export interface KnownQuestion {
  readonly id: number;
  readonly text: string;
  readonly tokens: readonly number[];
  readonly steps: number[];
  /** Whose caches hold it, until it is over. */
  readonly homes: Set<{ release(search: string): void }>;
}

interface KnownStep extends PathStep {
  readonly question: KnownQuestion;
}

export interface KnownPath {
  readonly question: KnownQuestion;
  readonly path: readonly PathStep[];
}

const filler = 7;
const firstNumber = 1000;

export class TokenTexts {
  readonly #questions = new Map<string, KnownQuestion>();
  readonly #byId = new Map<number, KnownQuestion>();
  readonly #steps = new Map<number, KnownStep>();

  get open(): number {
    return this.#questions.size;
  }

  question(text: string, length: number): KnownQuestion {
    const known = this.#questions.get(text);
    if (known !== undefined) return known;
    const id = freeNumber(hash(text), (number) => this.#byId.has(number));
    const question = { id, text, tokens: tokensOf(id, length), steps: [], homes: new Set<never>() };
    this.#questions.set(text, question);
    this.#byId.set(id, question);
    return question;
  }

  /** The tokens of a step that was written, as JSON lists them. */
  write(question: KnownQuestion, step: WrittenStep): string {
    const isOther = (number: number) => {
      const known = this.#steps.get(number);
      return known !== undefined && (known.question !== question || known.step.text !== step.text);
    };
    const key = freeNumber(hash(question.text, step.text), isOther);
    this.#steps.set(key, { key, step, question });
    question.steps.push(key);
    return `${key}${`,${filler}`.repeat(step.tokens - 1)}`;
  }

  /** Undefined where its question is over. */
  read(tokens: readonly number[]): KnownPath | undefined {
    const question = this.#byId.get(tokens[0]!);
    if (question === undefined) return undefined;
    const path: PathStep[] = [];
    for (let at = question.tokens.length; at < tokens.length; ) {
      const known = this.#steps.get(tokens[at]!);
      if (known === undefined) return undefined;
      path.push(known);
      at += known.step.tokens;
    }
    return { question, path };
  }

  over(text: string): void {
    const question = this.#questions.get(text);
    if (question === undefined) return;
    this.#questions.delete(text);
    this.#byId.delete(question.id);
    for (const key of question.steps) this.#steps.delete(key);
    for (const home of question.homes) home.release(String(question.id));
  }
}

/** Beyond those that mean something else, and within 31 bits. */
function freeNumber(wanted: number, isTaken: (number: number) => boolean): number {
  let number = firstNumber + (wanted % 2 ** 30);
  while (isTaken(number)) number += 1;
  return number;
}

function tokensOf(first: number, length: number): number[] {
  const tokens = new Array<number>(length).fill(filler);
  tokens[0] = first;
  return tokens;
}
