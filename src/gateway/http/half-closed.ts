// A client that has closed its sending side waits for its answer, or is gone altogether: the same packet says both. Only
// writing tells them apart. The machine of one that is gone refuses the first bytes, and the next write then fails, closes
// the connection and so cancels what was done for it.

import type { ServerResponse } from 'node:http';

/** Two writes are enough where the refusal is back in time; some clients bear no more than five interim answers. */
const probesMs: readonly number[] = [0, 100, 1000, 5000];

/** `write` is to send what the client passes over. */
export function probe(response: ServerResponse, write: () => void): void {
  const timers = probesMs.map((afterMs) => setTimeout(write, afterMs).unref());
  response.once('close', () => {
    for (const timer of timers) clearTimeout(timer);
  });
}
