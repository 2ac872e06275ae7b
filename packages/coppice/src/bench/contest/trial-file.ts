// Keeps the trials of a contest in memory and, if asked, in a file from which an interrupted contest continues. The first line of the file
// holds the settings; a file of other settings is refused.

import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { GoldQuestion } from '@coppice/core/answering';
import { raise } from '@coppice/core/base';
import type { Trial } from './contest.ts';

export class Trials {
  readonly #byContender = new Map<string, Map<string, Trial>>();
  readonly #file: string | undefined;

  /** Trials of other questions in the file are left out. */
  constructor(file: string | undefined, settings: object, questions: readonly GoldQuestion[]) {
    this.#file = file;
    if (file === undefined) return;
    const configuration = JSON.stringify(settings);
    if (!existsSync(file)) {
      writeFileSync(file, `${configuration}\n`);
      return;
    }
    const [head, ...lines] = readFileSync(file, 'utf8').split('\n');
    if (head !== configuration) {
      raise('bad-setting', `--resume ${file} holds trials of other settings: ${head?.slice(0, 200)}`);
    }
    const ids = new Set(questions.map(({ id }) => id));
    for (const line of lines) {
      const trial = line === '' ? undefined : parseTrial(file, line);
      if (trial !== undefined && ids.has(trial.question)) this.#keep(trial);
    }
  }

  has(contender: string, question: string): boolean {
    return this.#byContender.get(contender)?.has(question) ?? false;
  }

  of(contender: string): Trial[] {
    return [...(this.#byContender.get(contender)?.values() ?? [])];
  }

  get count(): number {
    return [...this.#byContender.values()].reduce((sum, trials) => sum + trials.size, 0);
  }

  add(trial: Trial): void {
    this.#keep(trial);
    if (this.#file !== undefined) appendFileSync(this.#file, `${JSON.stringify(trial)}\n`);
  }

  #keep(trial: Trial): void {
    const trials = this.#byContender.get(trial.contender) ?? new Map<string, Trial>();
    trials.set(trial.question, trial);
    this.#byContender.set(trial.contender, trials);
  }
}

function parseTrial(file: string, line: string): Trial {
  try {
    return JSON.parse(line) as Trial;
  } catch {
    return raise('bad-setting', `--resume ${file} has a line that is not JSON: ${line.slice(0, 80)}`);
  }
}
