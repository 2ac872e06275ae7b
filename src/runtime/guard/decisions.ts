// A scheduler that always decides. All searches share one, so what it throws is the fault of none of them: from the first throw,
// or the first decision that cannot be carried out, the plainest scheduler decides in its place, first come, first served at
// natural widths. Its decisions rest on those before them, so that it is not asked again; searches go on, and new ones come in.

import type { Fault } from '../../base/fault.ts';
import { raise } from '../../base/fault.ts';
import { dynamicScheduler } from '../../scheduler/dynamic.ts';
import type { Decision, Scheduler, Snapshot } from '../../scheduler/scheduler.ts';
import { naturalWidths } from '../../scheduler/widths.ts';
import { faultOf, guard } from './guard.ts';

/** `strands`: how many may be open in all. */
export function guardedScheduler(scheduler: Scheduler, strands: number, tell: (fault: Fault) => void): Scheduler {
  const { name, ageingSeconds, order, speculates } = scheduler;
  const own = { ageingSeconds, ...(order === undefined ? {} : { order }) };
  const plain = dynamicScheduler({
    name: 'natural',
    widths: naturalWidths,
    first: 'admit',
    preemption: 'needed',
    ...own,
  });
  let isBroken = false;
  const broke = (breakage: Parameters<typeof faultOf>[0]) => {
    if (!isBroken) tell(faultOf(breakage));
    isBroken = true;
  };
  const checked = (snapshot: Snapshot) => {
    const decision = scheduler.decide(snapshot);
    const wrong = problemWith(decision, snapshot, strands);
    return wrong === undefined ? decision : raise('bad-setting', wrong);
  };
  return {
    name,
    ...own,
    ...(speculates === undefined ? {} : { speculates }),
    decide(snapshot) {
      const decision = isBroken
        ? undefined
        : guard<Decision | undefined>({ broke }, 'scheduler', scheduler, 'decide', () => checked(snapshot), undefined);
      return decision ?? plain.decide(snapshot);
    },
  };
}

/** Why a decision cannot be carried out, in words; undefined where it can. */
function problemWith({ admit, widths, preempt }: Decision, { running, waiting }: Snapshot, strands: number) {
  const present = new Map(running.map((search) => [search.id, search]));
  const queued = new Map(waiting.map((search) => [search.id, search]));
  for (const [id, count] of preempt) {
    if (!(count <= (present.get(id)?.openStrands ?? -1))) return `it preempts ${count} strands of '${id}'`;
  }
  for (const id of admit) if (!queued.has(id)) return `it admits '${id}', which does not wait`;
  let held = 0;
  for (const id of [...present.keys(), ...admit]) {
    const { primary, speculative } = widths.get(id) ?? { primary: Number.NaN, speculative: 0 };
    const search = present.get(id) ?? queued.get(id)!;
    if (!(primary >= (search.idle === true ? 0 : 1) && speculative >= 0)) return `it gives '${id}' no width`;
    held += Math.max(primary, (present.get(id)?.openStrands ?? 0) - (preempt.get(id) ?? 0)) + speculative;
  }
  return held <= strands ? undefined : `it gives out ${held} strands of ${strands} (budget)`;
}
