// How much one request may ask for, and what its `reasoning_effort` buys.

import { z } from 'zod';
import { like, whole } from './knob.ts';
import { requestKnobs } from './vocabulary.ts';

export const efforts = ['minimal', 'low', 'medium', 'high', 'xhigh'] as const;
export type Effort = (typeof efforts)[number];

function effort(rollouts: number, tokens: number) {
  return z
    .strictObject({
      rollouts: like(requestKnobs.rollouts, rollouts, 'completed strands'),
      tokens: like(requestKnobs.tokenBudget, tokens, 'generated over all branches'),
    })
    .prefault({});
}

export const searchLimits = z
  .strictObject({
    rollouts: like(
      requestKnobs.rollouts,
      256,
      'most that a request may ask for, counted like an effort; 16 times the 16 of P0 §5.1',
    ),
    tokens: like(requestKnobs.tokenBudget, 200_000, 'most generated tokens of one search'),
    nodes: whole(20_000, 16, 10_000_000, 'nodes', 'most nodes of one tree; it ends as exhausted then. About 1 kB each'),
    deadlineMs: like(requestKnobs.deadlineMs, 3_600_000, 'longest deadline that a request may ask for'),
    promptChars: whole(400_000, 1, 100_000_000, 'characters', 'about 100,000 tokens of English'),
    messages: whole(1000, 1, 1_000_000, 'messages', 'of one conversation'),
    efforts: z
      .strictObject({
        minimal: effort(2, 4000),
        low: effort(8, 16_000),
        medium: effort(16, 40_000),
        high: effort(64, 120_000),
        xhigh: effort(256, 200_000),
      })
      .prefault({})
      .meta({
        description:
          'what reasoning_effort buys, in rollouts of whole expansions: a lazy tree has `branching` times as many, of one path each; medium is the 16 of P0 §5.1, each step about four times',
      }),
    effort: z.enum(efforts).default('medium').meta({ description: 'of a request that names none' }),
  })
  .prefault({});
