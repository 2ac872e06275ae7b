// Runs independent trials on several threads. Results come back in the order of the specs, whatever the number of
// threads, so a report has the same bytes on any machine.

import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { runTrial, type TrialResult, type TrialSpec } from './trial.ts';

export interface TrialPoolOptions {
  readonly threads: number;
  /** After each trial: how many of all trials so far are done. */
  readonly onProgress?: (done: number, all: number) => void;
}

export function defaultThreads(): number {
  return Math.max(1, Math.min(16, availableParallelism()));
}

/** What a thread answers. */
export interface Finished {
  readonly at: number;
  readonly result: TrialResult;
}

export class TrialPool {
  readonly #options: TrialPoolOptions;
  readonly #workers: Worker[] = [];
  #done = 0;
  #all = 0;

  constructor(options: TrialPoolOptions) {
    this.#options = options;
  }

  async run(specs: readonly TrialSpec[]): Promise<TrialResult[]> {
    this.#all += specs.length;
    if (this.#options.threads <= 1 || specs.length === 1) return specs.map((spec) => this.#runHere(spec));
    const results = new Array<TrialResult>(specs.length);
    const queue = specs.map((spec, at) => ({ at, spec }));
    // The longest first would pack best; the order given is nearly as good and keeps progress even.
    const lanes = this.#hire(Math.min(this.#options.threads, specs.length)).map(async (worker) => {
      for (let task = queue.shift(); task !== undefined; task = queue.shift()) {
        const { at, result } = await this.#ask(worker, task);
        results[at] = result;
        this.#tick();
      }
    });
    await Promise.all(lanes);
    return results;
  }

  async close(): Promise<void> {
    await Promise.all(this.#workers.splice(0).map((worker) => worker.terminate()));
  }

  #runHere(spec: TrialSpec): TrialResult {
    const result = runTrial(spec);
    this.#tick();
    return result;
  }

  #tick(): void {
    this.#done += 1;
    this.#options.onProgress?.(this.#done, this.#all);
  }

  #hire(count: number): Worker[] {
    while (this.#workers.length < count) {
      const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
      this.#workers.push(new Worker(new URL(`./trial-pool-worker.${extension}`, import.meta.url)));
    }
    return this.#workers.slice(0, count);
  }

  #ask(worker: Worker, task: { readonly at: number; readonly spec: TrialSpec }): Promise<Finished> {
    return new Promise((resolve, reject) => {
      const settle = (): void => {
        worker.off('message', onMessage);
        worker.off('error', onError);
      };
      const onMessage = (message: Finished): void => {
        settle();
        resolve(message);
      };
      const onError = (error: Error): void => {
        settle();
        reject(error);
      };
      worker.on('message', onMessage);
      worker.on('error', onError);
      worker.postMessage(task);
    });
  }
}
