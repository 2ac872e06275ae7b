// One frame of `/v1/overview`, and the samples that its stream begins with.

import { searchStates } from '@coppice/core/journal';
import { z } from 'zod';
import { budget, flag, maybeNumber, maybeText, number, text, type Written, why } from './parts.ts';

const verifierLoad = z.object({
  kind: text,
  healthy: flag,
  waiting: number,
  score_ms: maybeNumber,
  judge: maybeText,
});

const modelLoad = z.object({
  name: text,
  engine: text,
  healthy: flag,
  engine_healthy: flag,
  verifier: verifierLoad.nullable(),
  budget: number,
  open_strands: number,
  running_sequences: number,
  waiting_sequences: number,
  step_ms: maybeNumber,
  /** Speed-up of a draft model in its trial at start, and whether it is used; null without one. */
  drafting: z.object({ gain: number, used: flag }).nullable(),
});
export type ModelLoadJson = Written<typeof modelLoad>;

const journalHealth = z.object({
  kind: text,
  healthy: flag,
  /** Writes that are not durable yet, and the age of the oldest. */
  unwritten: number,
  oldest_unwritten_ms: number,
  failures: number,
  bytes: number,
});
export type JournalHealthJson = Written<typeof journalHealth>;

/** `event: history` holds the samples of the last 15 minutes. */
export interface SampleJson {
  readonly at_ms: number;
  readonly used: number;
  readonly total: number;
}

const listed = z.object({
  id: text,
  title: maybeText,
  model: text,
  state: z.enum(searchStates),
  place: maybeNumber,
  primary: number,
  speculative: number,
  why,
  open_strands: number,
  nodes: number,
  rollouts: number,
  rollout_limit: number,
  best_score: maybeNumber,
  /** Includes steps in flight, as far as the engine reports them. */
  tokens: number,
  threshold: maybeNumber,
  age_ms: number,
});
export type ListedJson = Written<typeof listed>;

/** A node that shares the journal, as of a few seconds ago. */
const node = z.object({
  name: text,
  version: text,
  models: z.array(text),
  here: flag,
  silent_ms: number,
  healthy: flag,
  budget,
  running: number,
});
export type NodeJson = Written<typeof node>;

export const overviewJson = z.object({
  at_ms: number,
  version: text,
  models: z.array(modelLoad),
  journal: journalHealth,
  budget,
  /** Nodes that share the journal; empty for a single process. Only `queue` and `searches` are over all nodes. */
  nodes: z.array(node),
  queue: z.object({ waiting: number, limit: number }),
  searches: z.object({ running: number, listed: z.array(listed) }),
  /** Searches that have ended since the start. */
  ended: number,
  /** `generated`, and with it `per_second`, counts running searches too; the other classes are known when a search ends. */
  tokens: z.record(text, number),
});
export type OverviewJson = Written<typeof overviewJson>;
