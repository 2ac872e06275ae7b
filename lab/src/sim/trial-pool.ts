// Runs independent trials on several threads, in the order in which they were asked for. What a trial gives depends on its spec alone, so
// that a report has the same bytes with any number of threads.

import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { runTrial, type TrialResult, type TrialSpec } from './trial.ts';

/** What a thread answers. */
interface Finished {
  readonly result: TrialResult;
}

interface QueuedTrial {
  readonly spec: TrialSpec;
  resolve(result: TrialResult): void;
  reject(error: Error): void;
}

/** The test runner's threads are started without it. */
const fromSource = ['--conditions=coppice-source'];

export function defaultThreads(): number {
  return Math.max(1, Math.min(16, availableParallelism()));
}

export class TrialPool {
  readonly #threads: number;
  readonly #workers: Worker[] = [];
  readonly #idle: Worker[] = [];
  readonly #queue: QueuedTrial[] = [];

  constructor({ threads }: { readonly threads: number }) {
    this.#threads = threads;
  }

  async run(spec: TrialSpec): Promise<TrialResult> {
    if (this.#threads <= 1) return runTrial(spec);
    return new Promise((resolve, reject) => {
      this.#queue.push({ spec, resolve, reject });
      this.#start();
    });
  }

  async close(): Promise<void> {
    this.#idle.length = 0;
    await Promise.all(this.#workers.splice(0).map((worker) => worker.terminate()));
  }

  #start(): void {
    const worker = this.#queue.length === 0 ? undefined : (this.#idle.pop() ?? this.#hire());
    if (worker === undefined) return;
    const { spec, resolve, reject } = this.#queue.shift()!;
    const settle = (): void => {
      worker.off('message', onMessage);
      worker.off('error', onError);
    };
    const onMessage = ({ result }: Finished): void => {
      settle();
      this.#idle.push(worker);
      resolve(result);
      this.#start();
    };
    // A thread ends with its error, and the run with it.
    const onError = (error: Error): void => {
      settle();
      reject(error);
    };
    worker.on('message', onMessage);
    worker.on('error', onError);
    worker.postMessage(spec);
  }

  #hire(): Worker | undefined {
    if (this.#workers.length >= this.#threads) return undefined;
    const worker = new Worker(new URL('./trial-pool-worker.ts', import.meta.url), { execArgv: fromSource });
    this.#workers.push(worker);
    return worker;
  }
}
