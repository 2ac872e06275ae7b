// A thread of the pool: one trial at a time, plain data in and out.

import { parentPort } from 'node:worker_threads';
import { runTrial, type TrialSpec } from './trial.ts';

parentPort?.on('message', ({ at, spec }: { readonly at: number; readonly spec: TrialSpec }) => {
  parentPort?.postMessage({ at, result: runTrial(spec) });
});
