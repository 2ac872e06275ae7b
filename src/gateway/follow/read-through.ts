// Reads of the journal for a client whose answer has begun: while the journal cannot be read (a database restarts) the read is
// tried again for as long as the client stays. It must never repeat a read that failed for another reason.

import { FaultError } from '../../base/fault.ts';

const firstPauseMs = 50;
const longestPauseMs = 2000;

/** Resolves when the time is over, or the client is gone. */
export type Pause = (ms: number, gone: AbortSignal) => Promise<void>;

/** Undefined where the client went before the journal could be read. */
export async function readThrough<Result>(
  read: () => Promise<Result>,
  gone: AbortSignal,
  pause: Pause = pauseUnlessGone,
): Promise<Result | undefined> {
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(longestPauseMs, 2 * pauseMs)) {
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof FaultError) || error.fault.code !== 'unavailable') throw error;
    }
    if (!gone.aborted) await pause(pauseMs, gone);
    if (gone.aborted) return undefined;
  }
}

function pauseUnlessGone(ms: number, gone: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      gone.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    gone.addEventListener('abort', done, { once: true });
  });
}
