// Runs a block of questions with one contender on a real engine. Every question that was begun becomes one trial, except that an abort
// cancels running questions and drops waiting ones.

import type { GoldQuestion, OpenModel } from '@coppice/core/answering';
import type { LoggedEvent, SearchFold } from '@coppice/core/log';
import { LiveLoop, Runtime, type SearchResult, systemClock } from '@coppice/core/runtime';
import {
  type Contender,
  type Contest,
  type ContestJob,
  contestRequest,
  schedulerOf,
  type Trial,
  trialOf,
} from './contest.ts';

/**
 * Resolves when all questions are answered and the engine is idle. `arrivalsMs`: when each question arrives, from the
 * start; without it the settings limit how many run at once.
 */
export async function runBlock(
  contest: Contest,
  contender: Contender,
  questions: readonly GoldQuestion[],
  onTrial: (trial: Trial) => void,
  arrivalsMs?: readonly number[],
): Promise<void> {
  await new QuestionBlock(contest, contender, questions, onTrial, arrivalsMs).run();
  // Waits for cancelled requests: the next runtime numbers its own from 0 again.
  while (outstanding(contest.model) > 0) await new Promise(setImmediate);
}

function outstanding({ engine, verifier, embedder }: OpenModel): number {
  const { runningSequences, waitingSequences } = engine.load();
  return runningSequences + waitingSequences + (verifier?.load().waiting ?? 0) + (embedder?.load().waiting ?? 0);
}

/** A question that runs: answered when it has a result, over when its cancelled requests have been answered too. */
interface Asked {
  readonly job: ContestJob;
  result?: SearchResult;
}

class QuestionBlock {
  readonly #contest: Contest;
  readonly #arrivalsMs: readonly number[] | undefined;
  readonly #onTrial: (trial: Trial) => void;
  readonly #done = Promise.withResolvers<void>();
  readonly #loop = new LiveLoop();
  readonly #runtime: Runtime;
  readonly #waiting: ContestJob[];
  readonly #asked = new Map<string, Asked>();
  readonly #timers: NodeJS.Timeout[] = [];
  #left: number;
  #isAborted = false;

  constructor(
    contest: Contest,
    contender: Contender,
    questions: readonly GoldQuestion[],
    onTrial: (trial: Trial) => void,
    arrivalsMs: readonly number[] | undefined,
  ) {
    const { engine, verifier, embedder } = contest.model;
    this.#contest = contest;
    this.#arrivalsMs = arrivalsMs;
    this.#onTrial = onTrial;
    this.#waiting = questions.map((question) => ({ contender, question })).reverse();
    this.#left = questions.length;
    this.#runtime = new Runtime({
      engine,
      verifier,
      embedder,
      scheduler: schedulerOf(contest, contender),
      budget: contest.settings.budget,
      clock: systemClock,
      wake: this.#loop.wake,
      onEvent: (event, fold) => this.#follow(event, fold),
      onEnd: (result) => {
        this.#asked.get(result.id)!.result = result;
        if (arrivalsMs === undefined) this.#submitNext();
      },
      onCost: (id, cost) => this.#over(id, cost),
    });
  }

  async run(): Promise<void> {
    const { signal, settings } = this.#contest;
    if (this.#left === 0 || signal?.aborted) return;
    signal?.addEventListener('abort', this.#abort);
    if (this.#arrivalsMs === undefined) for (let at = 0; at < settings.concurrency; at += 1) this.#submitNext();
    else for (const atMs of this.#arrivalsMs) this.#timers.push(setTimeout(() => this.#submitNext(), atMs));
    this.#loop.drive(this.#runtime);
    await this.#done.promise;
  }

  #submitNext(): void {
    const job = this.#waiting.pop();
    if (job === undefined) return;
    try {
      const request = contestRequest(this.#contest, job);
      this.#asked.set(request.id, { job });
      this.#runtime.submit(request);
    } catch (error) {
      this.#stop();
      this.#done.reject(error);
    }
  }

  #follow(event: LoggedEvent, fold: SearchFold): void {
    const asked = this.#asked.get(event.search);
    if (asked !== undefined && fold.tree !== undefined && event.event.type === 'exited')
      this.#contest.onTree?.(asked.job, fold.tree);
  }

  #over(id: string, cost: SearchResult['cost']): void {
    const { job, result } = this.#asked.get(id)!;
    this.#asked.delete(id);
    if (!this.#isAborted || result!.exit.kind !== 'cancelled') {
      this.#onTrial(trialOf(this.#contest, job, { ...result!, cost }));
    }
    this.#left -= 1;
    this.#endWhenDone();
  }

  readonly #abort = (): void => {
    this.#isAborted = true;
    this.#left -= this.#waiting.splice(0).length;
    for (const id of this.#asked.keys()) this.#runtime.cancel(id);
    this.#endWhenDone();
  };

  #endWhenDone(): void {
    if (this.#left !== 0) return;
    this.#stop();
    this.#done.resolve();
  }

  #stop(): void {
    this.#loop.stop();
    for (const timer of this.#timers) clearTimeout(timer);
    this.#contest.signal?.removeEventListener('abort', this.#abort);
  }
}
