// Runs one search to its end in real time, and hands its events on as they happen.

import type { LoggedEvent } from '../log/events.ts';
import { SearchFold } from '../log/fold.ts';
import { LiveLoop, systemClock } from '../runtime/live.ts';
import type { RuntimeOptions } from '../runtime/parts/options.ts';
import { Runtime } from '../runtime/runtime.ts';
import type { SearchRequest, SearchResult } from '../runtime/search/request.ts';
import type { Tree } from '../tree/tree.ts';

interface SearchRun
  extends Pick<RuntimeOptions, 'engine' | 'verifier' | 'embedder' | 'scheduler' | 'budget' | 'trust'> {
  readonly request: SearchRequest;
  /** The caller's, kept up to date; only to be read. */
  readonly fold?: SearchFold;
  readonly onEvent?: (event: LoggedEvent, tree: Tree) => void;
  readonly signal?: AbortSignal;
}

export interface FinishedRun {
  readonly result: SearchResult;
  readonly tree: Tree;
}

export function runSearch(live: SearchRun): Promise<FinishedRun> {
  const { request, signal, fold = new SearchFold(), onEvent, ...parts } = live;
  const loop = new LiveLoop();
  return new Promise((resolve, reject) => {
    const follow = (logged: LoggedEvent): void => {
      if (fold.tree !== undefined) onEvent?.(logged, fold.tree);
    };
    const runtime = new Runtime({
      ...parts,
      clock: systemClock,
      onEvent: follow,
      onEnd: (result) => {
        loop.stop();
        resolve({ result, tree: fold.tree! });
      },
      wake: loop.wake,
    });
    signal?.addEventListener('abort', () => runtime.cancel(request.id), { once: true });
    try {
      runtime.submit(request, fold);
      loop.drive(runtime);
    } catch (error) {
      reject(error);
    }
  });
}
