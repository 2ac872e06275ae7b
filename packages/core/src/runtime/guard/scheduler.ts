// A scheduler that always decides. After the first throw or impossible decision of the given one, first come, first served at natural
// widths takes its place for good: later decisions rest on earlier ones.

import { type Fault, raise } from '../../base/fault.ts';
import { algorithm1Scheduler } from '../../scheduler/algorithm-1.ts';
import type { Decision, Scheduler, Snapshot, Width } from '../../scheduler/scheduler.ts';
import type { OrderRule } from '../../scheduler/turns/order.ts';
import { naturalWidths } from '../../scheduler/widths.ts';
import { type Answerable, faultOf, guard } from './guard.ts';

export function guardedScheduler(scheduler: Scheduler, strands: number, tell: (fault: Fault) => void): Scheduler {
  const { name, speculates } = scheduler;
  const plain = algorithm1Scheduler({ name: 'natural', widths: naturalWidths });
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
    order: scheduler.order && guardedOrder(scheduler.order, { broke }),
    speculates,
    decide(snapshot) {
      const decision = isBroken
        ? undefined
        : guard<Decision | undefined>({ broke }, 'scheduler', scheduler, 'decide', () => checked(snapshot), undefined);
      return decision ?? plain.decide(snapshot);
    },
  };
}

function guardedOrder(order: OrderRule, answerable: Answerable): OrderRule {
  const { priority } = order;
  if (priority === undefined) return order;
  const checked = (given: number, pathTokens: number) => {
    const own = priority.call(order, given, pathTokens);
    return Number.isFinite(own) ? own : raise('bad-setting', `it gave ${own}; a priority is a number`);
  };
  return {
    ...order,
    priority: (given, tokens) => guard(answerable, 'order', order, 'priority', () => checked(given, tokens), given),
  };
}

/** Runs at every decision, so it makes no tables. */
function problemWith({ admit, widths, preempt, urgencies }: Decision, { running, waiting }: Snapshot, strands: number) {
  let held = 0;
  let taken = 0;
  for (const { id, idle, openStrands } of running) {
    const width = widths.get(id);
    const count = preempt.get(id);
    if (count !== undefined) taken += 1;
    if (!isWidth(width, idle)) return `it gives '${id}' no width`;
    if (!((count ?? 0) <= openStrands)) return `it preempts ${count} of ${openStrands} strands of '${id}'`;
    held += Math.max(width.primary, openStrands - (count ?? 0)) + width.speculative;
  }
  if (taken !== preempt.size) return 'it preempts a search that does not run';
  const queued = admit.length === 0 ? undefined : new Map(waiting.map((search) => [search.id, search]));
  for (const id of admit) {
    const width = widths.get(id);
    if (queued?.get(id) === undefined) return `it admits '${id}', which does not wait`;
    if (!isWidth(width, queued.get(id)?.idle)) return `it gives '${id}' no width`;
    held += width.primary + width.speculative;
  }
  for (const [id, urgency] of urgencies ?? [])
    if (!Number.isFinite(urgency)) return `it gives '${id}' the urgency ${urgency}`;
  return held <= strands ? undefined : `it gives out ${held} strands of ${strands} (budget)`;
}

function isWidth(width: Width | undefined, idle: boolean | undefined): width is Width {
  return width !== undefined && width.primary >= (idle === true ? 0 : 1) && width.speculative >= 0;
}
