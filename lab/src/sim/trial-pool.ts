// Runs independent trials, and lone searches, on several threads; results keep the order of the requests. A result depends on its
// spec alone, so a report has the same bytes with any number of threads.

import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { type LoneAnswer, type LoneSpec, loneAnswers } from './lone-search.ts';
import { runTrial, type TrialResult, type TrialSpec } from './trial.ts';

/** A task for a thread. */
export type PoolTask = { readonly trial: TrialSpec } | { readonly lone: LoneSpec };

export function runTask(task: PoolTask): unknown {
  return 'trial' in task ? runTrial(task.trial) : loneAnswers(task.lone);
}

/** What it answers. */
interface Finished {
  readonly result: unknown;
}

interface QueuedTask {
  readonly task: PoolTask;
  resolve(result: unknown): void;
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
  readonly #queue: QueuedTask[] = [];

  constructor({ threads }: { readonly threads: number }) {
    this.#threads = threads;
  }

  async run(trial: TrialSpec): Promise<TrialResult> {
    return (await this.#done({ trial })) as TrialResult;
  }

  async lone(lone: LoneSpec): Promise<readonly LoneAnswer[]> {
    return (await this.#done({ lone })) as readonly LoneAnswer[];
  }

  async close(): Promise<void> {
    this.#idle.length = 0;
    await Promise.all(this.#workers.splice(0).map((worker) => worker.terminate()));
  }

  async #done(task: PoolTask): Promise<unknown> {
    if (this.#threads <= 1) return runTask(task);
    return new Promise((resolve, reject) => {
      this.#queue.push({ task, resolve, reject });
      this.#start();
    });
  }

  #start(): void {
    const worker = this.#queue.length === 0 ? undefined : (this.#idle.pop() ?? this.#hire());
    if (worker === undefined) return;
    const { task, resolve, reject } = this.#queue.shift()!;
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
    worker.postMessage(task);
  }

  #hire(): Worker | undefined {
    if (this.#workers.length >= this.#threads) return undefined;
    const worker = new Worker(new URL('./trial-pool-worker.ts', import.meta.url), { execArgv: fromSource });
    this.#workers.push(worker);
    return worker;
  }
}
