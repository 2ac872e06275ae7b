// Counts the operations of synchronous code without a clock: calls and blocks entered in the files under a path, by V8's precise coverage. The count
// is the same on every machine, so growth can be asserted. Native operations of the engine (a copy, a map's hashing) are not counted; the comparisons
// of a sort are. Needs a process of its own, since it turns the optimiser off.

import { Session } from 'node:inspector';
import { setFlagsFromString } from 'node:v8';
import { assert } from '@coppice/core/base';

interface CoveredScript {
  readonly url: string;
  readonly functions: readonly { readonly ranges: readonly { readonly count: number }[] }[];
}

/** `under`: part of the paths of the files to count, such as `/src/scheduler/`. */
export function countOperations(under: string, work: () => void): number {
  // Optimised code no longer counts: with it the figures come out too low, and differ from run to run.
  setFlagsFromString('--no-opt');
  setFlagsFromString('--no-maglev');
  const session = new Session();
  session.connect();
  try {
    session.post('Profiler.enable');
    session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
    work();
    return sumCounts(takeCoverage(session).filter(({ url }) => url.includes(under)));
  } finally {
    session.post('Profiler.stopPreciseCoverage');
    session.disconnect();
  }
}

/** A session to one's own thread answers before `post` returns. */
function takeCoverage(session: Session): readonly CoveredScript[] {
  let scripts: readonly CoveredScript[] | undefined;
  session.post('Profiler.takePreciseCoverage', (error, coverage) => {
    if (error === null) scripts = coverage.result;
  });
  assert(scripts !== undefined, 'V8 gave no coverage');
  return scripts;
}

function sumCounts(scripts: readonly CoveredScript[]): number {
  let sum = 0;
  for (const { functions } of scripts) {
    for (const { ranges } of functions) for (const { count } of ranges) sum += count;
  }
  return sum;
}
