// A policy is a named combination of small parts: when a search ends, when a strand is cut, and how the budget is shared.
// What they do lives in exit/ and scheduler/; this folder only combines them.

import type { ExitRule, PruneRule } from '../exit/exit.ts';
import type { Scheduler } from '../scheduler/scheduler.ts';

export interface Rules {
  readonly exits: readonly ExitRule[];
  readonly prunes: readonly PruneRule[];
  /** Its search may have more strands open than its program's natural width. */
  readonly boost: boolean;
  /** Most speculative strands of its search; the scheduler's own number where missing. */
  readonly speculate?: number;
}

export interface Policy {
  readonly name: string;
  readonly rules: Rules;
  readonly scheduler: Scheduler;
}
