// Shows the progress of a run over many questions on the error output: redrawn on a terminal, a line now and then elsewhere.

import { duration, LiveBlock, progressBar } from './terminal.ts';

const barWidth = 30;
/** Answers between two lines if the output is no terminal. */
const betweenLines = 50;

export class AnswerProgress {
  readonly #block = new LiveBlock(process.stderr);
  readonly #startMs = performance.now();
  readonly #total: number;
  readonly #before: number;
  #done: number;

  /** `before`: answers from an earlier run, left out of the time estimate. */
  constructor(total: number, before = 0) {
    this.#total = total;
    this.#before = before;
    this.#done = before;
  }

  /** `quiet`: prints no lines if the output is no terminal. */
  tick(what: string, quiet: boolean): void {
    this.#done += 1;
    const spentMs = performance.now() - this.#startMs;
    const leftMs = (spentMs / (this.#done - this.#before)) * Math.max(0, this.#total - this.#done);
    const line = `${progressBar(this.#done, this.#total, barWidth)}  ${duration(leftMs)} left  ${what}`;
    if (process.stderr.isTTY) this.#block.draw([line]);
    else if (!quiet && this.#done % betweenLines === 0) process.stderr.write(`${line}\n`);
  }

  end(): void {
    this.#block.clear();
  }
}
