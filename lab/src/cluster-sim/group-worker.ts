// A thread of the pool: one group at a time, plain data in and out.

import { parentPort } from 'node:worker_threads';
import type { GroupSpec } from './cluster-spec.ts';
import { runGroup } from './group.ts';

parentPort?.on('message', (spec: GroupSpec) => {
  const tell = (line: string) => parentPort?.postMessage({ line });
  void runGroup(spec, tell).then((result) => parentPort?.postMessage({ result }));
});
