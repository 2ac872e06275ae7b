// A thread of the pool: one task at a time, plain data in and out.

import { parentPort } from 'node:worker_threads';
import { type PoolTask, runTask } from './trial-pool.ts';

parentPort?.on('message', (task: PoolTask) => {
  parentPort?.postMessage({ result: runTask(task) });
});
