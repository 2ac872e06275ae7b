// Checks steps before the verifier behind sees them. `arithmetic`: a false equation between numbers scores 0. `lines`: the task's checker
// also scores false lines 0 and true ones 1. Never sees a gold answer; a checker that throws does not know.

import { falseEquation } from '../answer/formula/equations.ts';
import { checkLine, type LineCheck, type Task } from '../answer/task.ts';
import { VerifierInFront } from './in-front.ts';
import { questionOf } from './scorer.ts';
import type { ScoreRequest, Verifier } from './verifier.ts';

export const checkNames = ['none', 'arithmetic', 'lines'] as const;

interface CheckedOptions {
  readonly check: Exclude<(typeof checkNames)[number], 'none'>;
  readonly tasks?: readonly Task[];
  readonly onTrouble?: (problem: string) => void;
}

export class CheckedVerifier extends VerifierInFront {
  readonly #options: CheckedOptions;
  #troubled = false;

  constructor(behind: Verifier, options: CheckedOptions) {
    const { capabilities } = behind;
    super(behind, { ...capabilities, name: `${capabilities.name}, ${options.check} checked` });
    this.#options = options;
  }

  protected override sift(requests: readonly ScoreRequest[]): readonly ScoreRequest[] {
    return requests.filter((request) => {
      const check = this.#options.check === 'lines' ? this.#line(request) : 'unknown';
      if (check === 'unknown') return this.#computes(request);
      if (check === 'true') this.answer(request, 1);
      else this.answer(request, 0, falseLine(request.step.text));
      return false;
    });
  }

  #computes(request: ScoreRequest): boolean {
    const wrong = falseEquation(request.step.text);
    if (wrong === undefined || wrong === falseEquation(questionOf(request.prompt).replaceAll('?', ''))) return true;
    this.answer(request, 0, `This equation is false: ${wrong}`);
    return false;
  }

  #line({ prompt, path, step }: ScoreRequest): LineCheck {
    const { tasks = [], onTrouble } = this.#options;
    const before = path.map((each) => each.step.text);
    try {
      return checkLine(tasks, questionOf(prompt), before, step.text);
    } catch (error) {
      if (!this.#troubled)
        onTrouble?.(`a checker of lines failed, and such lines count as unchecked: ${String(error)}`);
      this.#troubled = true;
      return 'unknown';
    }
  }
}

export function falseLine(line: string): string {
  return `This line is wrong: ${line.trim()}`;
}
