// Runs independent trials on several threads. Results come back in the order of the specs, whatever the number of
// threads, so a report has the same bytes on any machine.

import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { KeptResults } from '../kept-results.ts';
import { runTrial, type TrialResult, type TrialSpec } from './trial.ts';

export interface TrialPoolOptions {
  readonly threads: number;
  /** After each trial: how many of all trials so far are done. */
  readonly onProgress?: (done: number, all: number) => void;
  /** Of every trial, whether it was run now or kept. */
  readonly onResult?: (spec: TrialSpec, result: TrialResult) => void;
  /** Finished trials of runs before, to which those of this one are added. */
  readonly kept?: KeptResults<TrialSpec, TrialResult> | undefined;
}

export function defaultThreads(): number {
  return Math.max(1, Math.min(16, availableParallelism()));
}

/** What a thread answers. */
export interface Finished {
  readonly at: number;
  readonly result: TrialResult;
}

/** The test runner's threads are started without it. */
const fromSource = ['--conditions=coppice-source'];

export class TrialPool {
  readonly #options: TrialPoolOptions;
  readonly #workers: Worker[] = [];
  #done = 0;
  #all = 0;

  constructor(options: TrialPoolOptions) {
    this.#options = options;
  }

  /** `onResult` is told of each that is run, when it is done. */
  async run(
    specs: readonly TrialSpec[],
    onResult: (at: number, result: TrialResult) => void = () => {},
  ): Promise<TrialResult[]> {
    const results = await this.#runAll(specs, onResult);
    for (const [at, spec] of specs.entries()) this.#options.onResult?.(spec, results[at]!);
    return results;
  }

  async #runAll(
    specs: readonly TrialSpec[],
    onResult: (at: number, result: TrialResult) => void,
  ): Promise<TrialResult[]> {
    this.#all += specs.length;
    const { kept, threads } = this.#options;
    const results = specs.map((spec) => kept?.find(spec)) as TrialResult[];
    const queue = specs.flatMap((spec, at) => (results[at] === undefined ? [{ at, spec }] : []));
    this.#done += specs.length - queue.length;
    if (threads <= 1 || queue.length <= 1) {
      for (const { at, spec } of queue) {
        results[at] = this.#runHere(spec);
        onResult(at, results[at]);
      }
      return results;
    }
    // The longest first would pack best; the order given is nearly as good and keeps progress even.
    const lanes = this.#hire(Math.min(threads, queue.length)).map(async (worker) => {
      for (let task = queue.shift(); task !== undefined; task = queue.shift()) {
        const { at, result } = await this.#ask(worker, task);
        results[at] = result;
        kept?.keep(task.spec, result);
        onResult(at, result);
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
    this.#options.kept?.keep(spec, result);
    this.#tick();
    return result;
  }

  #tick(): void {
    this.#done += 1;
    this.#options.onProgress?.(this.#done, this.#all);
  }

  #hire(count: number): Worker[] {
    while (this.#workers.length < count) {
      this.#workers.push(new Worker(new URL('./trial-pool-worker.ts', import.meta.url), { execArgv: fromSource }));
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
