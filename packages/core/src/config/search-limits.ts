// Limits of one request, and what its `reasoning_effort` buys.

import { z } from 'zod';
import { like } from './knob.ts';
import { requestKnobs } from './vocabulary.ts';

export const efforts = ['minimal', 'low', 'medium', 'high', 'xhigh'] as const;
export type Effort = (typeof efforts)[number];

/** Factors of efforts over `medium`: about four from one to the next. */
const scales: Readonly<Record<Effort, number>> = { minimal: 1 / 8, low: 1 / 2, medium: 1, high: 4, xhigh: 16 };
const usual: Effort = 'medium';
/** Generated tokens that an effort buys with each rollout: four steps of 600 tokens on its way. */
const rolloutTokens = 2500;
/** Tokens of thinking on one path that medium buys; each rollout buys them on top of `rolloutTokens`. */
const mediumThinkingTokens = 32_768;

export const searchLimits = z
  .strictObject({
    rollouts: like(
      requestKnobs.rollouts,
      256,
      'most that a request may ask for, counted like an effort; 16 times medium',
    ),
    tokens: like(requestKnobs.tokenBudget, 200_000, 'most generated tokens of one search'),
    deadlineMs: like(requestKnobs.deadlineMs, 3_600_000, 'longest deadline that a request may ask for'),
    mediumRollouts: like(
      requestKnobs.rollouts,
      16,
      'what reasoning_effort medium buys, and a request that names none: 16, between the 12 and 32 of figures 2 and 3 of P0; minimal an eighth of it, low half, high 4 times, xhigh 16 times. Rollouts of whole expansions: best-first has `branching` times as many, of one path each',
    ),
  })
  .prefault({});

/** `rolloutTokens`: where a caller pays for every token itself and has no use for a budget. */
export type SearchLimits = z.output<typeof searchLimits> & { readonly rolloutTokens?: number };

export function effortOf(
  limits: SearchLimits,
  name: Effort = usual,
): { rollouts: number; tokens: number; thinkingTokens: number } {
  const rollouts = Math.min(limits.rollouts, Math.max(1, Math.round(limits.mediumRollouts * scales[name])));
  const thinkingTokens = Math.ceil(mediumThinkingTokens * scales[name]);
  return {
    rollouts,
    tokens: Math.min(limits.tokens, rollouts * (limits.rolloutTokens ?? rolloutTokens)),
    thinkingTokens,
  };
}

/** Most nodes of one tree; it ends as exhausted then. A step is hardly shorter than ten tokens, and a node takes about 1 kB. */
export function mostNodes({ tokens }: SearchLimits): number {
  return Math.max(16, Math.ceil(tokens / 10));
}

/** Most characters of a conversation: half as long as all that one search may generate, at four characters of English to a token. */
export function mostPromptChars({ tokens }: SearchLimits): number {
  return tokens * 2;
}
