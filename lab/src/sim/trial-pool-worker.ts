// A thread of the pool: one trial at a time, plain data in and out.

import { parentPort } from 'node:worker_threads';
import { runTrial, type TrialSpec } from './trial.ts';

parentPort?.on('message', (spec: TrialSpec) => {
  parentPort?.postMessage({ result: runTrial(spec) });
});
