// Waiting in tests: for a fact, never for a time.

import { setTimeout } from 'node:timers/promises';

/** Between two looks at a fact that another process has to be asked about. */
const pauseMs = 10;

/** One turn of the event loop. */
export function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Looks until it holds: at every turn where it is here to be seen. What never holds ends with the time of its test. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  for (;;) {
    const answer = holds();
    if (await answer) return;
    await (answer instanceof Promise ? setTimeout(pauseMs) : turn());
  }
}
