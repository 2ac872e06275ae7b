// Asks `/health` repeatedly from a thread of its own, so that the test's own work is not measured, and reports the longest wait.

import { Worker } from 'node:worker_threads';

const asking = `
const { parentPort, workerData } = require('node:worker_threads');
const { request, Agent } = require('node:http');
const agent = new Agent({ keepAlive: true });
let worst = 0, asked = 0, stopped = false;
const ask = () => new Promise((resolve) => {
  const startMs = performance.now();
  const sent = request(workerData + '/health', { agent }, (answer) => {
    answer.resume().on('end', () => { worst = Math.max(worst, performance.now() - startMs); asked += 1; resolve(); });
  });
  sent.on('error', () => { worst = Infinity; resolve(); });
  sent.end();
});
parentPort.on('message', () => { stopped = true; });
(async () => {
  while (!stopped) { await ask(); await new Promise((resolve) => setTimeout(resolve, 5)); }
  agent.destroy();
  parentPort.postMessage({ worst, asked });
})();
`;

export interface HealthSeen {
  readonly worstMs: number;
  readonly asked: number;
}

/** Runs `work`, and returns its result and how `/health` was answered meanwhile. */
export async function watchHealth<Result>(url: string, work: () => Promise<Result>): Promise<[Result, HealthSeen]> {
  const worker = new Worker(asking, { eval: true, workerData: url });
  const seen = new Promise<{ worst: number; asked: number }>((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
  });
  try {
    const result = await work();
    worker.postMessage('enough');
    const { worst, asked } = await seen;
    return [result, { worstMs: worst, asked }];
  } finally {
    await worker.terminate();
  }
}

/** The longest block of the process's event loop since the last call. */
export async function loopLagMs(url: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return 1000 * Number(/^nodejs_eventloop_lag_max_seconds (\S+)/m.exec(text)?.[1]);
}
