// A policy is a named combination of small parts: when a search ends, when a strand is cut, and how the budget is shared.
// What they do lives in exit/ and scheduler/; this folder only names combinations of them (parts.ts).

import type { ExitRule, PruneRule } from '../exit/exit.ts';
import type { Scheduler } from '../scheduler/scheduler.ts';

export const policyNames = [
  ...(['vanilla', 'positive', 'positive+strict', 'positive+negative', 'boost'] as const),
  ...(['taper', 'safe', 'fast'] as const),
] as const;
export type PolicyName = (typeof policyNames)[number];

/** The part of a policy that belongs to one search. */
export interface Rules {
  readonly exits: readonly ExitRule[];
  readonly prunes: readonly PruneRule[];
  /** Whether its search may have more strands open than its program's natural width. */
  readonly boost: boolean;
  /** Most speculative strands of its search; the scheduler's own number where missing. */
  readonly speculate?: number;
  /** Whether speculation also grows below steps whose reward is not known yet. */
  readonly extendsUnscored?: boolean;
  /** Whether a generated step may wait a while for its siblings before it is scored, so that one pass scores several. */
  readonly gathersScores?: boolean;
}

export interface Policy {
  readonly name: PolicyName;
  readonly rules: Rules;
  readonly scheduler: Scheduler;
}
