// What operators read: the overview.

import { z } from 'zod';
import { searchStates } from '../../journal/journal.ts';
import type { OverviewJson } from '../wire/overview-json.ts';
import { flag, maybeNumber, maybeText, number, text, why } from './parts.ts';

const serverCost = z.object({ in_flight: number, alone_ms: number, each_more_ms: number });
export const overview: z.ZodType<OverviewJson> = z.object({
  at_ms: number,
  uptime_ms: number,
  version: text,
  models: z.array(
    z.object({
      name: text,
      engine: text,
      healthy: flag,
      engine_healthy: flag,
      verifier: z.object({ kind: text, healthy: flag, waiting: number, score_ms: maybeNumber }).nullable(),
      budget: number,
      open_strands: number,
      running_sequences: number,
      waiting_sequences: number,
      step_ms: maybeNumber,
      drafting: z.object({ gain: number, used: flag }).nullable(),
      expected_wait_ms: number,
      cost: z.object({ engine: serverCost, verifier: serverCost.nullable(), children_per_strand: number }).nullable(),
    }),
  ),
  journal: z.object({
    kind: text,
    healthy: flag,
    unwritten: number,
    oldest_unwritten_ms: number,
    failures: number,
    bytes: number,
  }),
  budget: z.object({ total: number, used: number }),
  nodes: z.array(
    z.object({
      name: text,
      version: text,
      models: z.array(text),
      here: flag,
      silent_ms: number,
      healthy: flag,
      budget: z.object({ total: number, used: number }),
      running: number,
    }),
  ),
  queue: z.object({ waiting: number, limit: number }),
  searches: z.object({
    running: number,
    listed: z.array(
      z.object({
        id: text,
        title: maybeText,
        model: text,
        state: z.enum(searchStates),
        primary: number,
        speculative: number,
        why,
        open_strands: number,
        nodes: number,
        rollouts: number,
        rollout_limit: number,
        best_score: maybeNumber,
        threshold: number,
        age_ms: number,
      }),
    ),
  }),
  exits: z.record(text, number),
  tokens: z.record(text, number),
  latency: z.object({ p50_ms: number, p99_ms: number, count: number }).nullable(),
  refused: number,
  event_loop_ms: number,
});
