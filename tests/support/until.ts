// Waits in tests for a fact, never for a time.

import { setTimeout } from 'node:timers/promises';

/** Pause between two looks at a fact that another process has to report. */
const pauseMs = 10;

/** One turn of the event loop. */
export function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Looks until the condition holds, at every turn of the loop. If it never holds, the test runs into its time limit. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  for (;;) {
    const answer = holds();
    if (await answer) return;
    await (answer instanceof Promise ? setTimeout(pauseMs) : turn());
  }
}
