// The server itself: its models, examples, readiness and usage.

import { z } from 'zod';
import { flag, maybeNumber, number, text, type Written } from './parts.ts';

export const modelJson = z.object({
  id: text,
  object: z.literal('model'),
  created: z.int(),
  owned_by: text,
  coppice: z.object({
    engine: text,
    verifier: text,
    program: text,
    policy: text,
    scoring: text,
    /** Choices of a request: without a verifier only programs that need none. */
    programs: z.array(text),
    policies: z.array(text),
    weights: text.exactOptional(),
    /** Agreement of the verifier with votes, in words, and whether it weighs in them. */
    judge: text.exactOptional(),
  }),
});
export type ModelJson = Written<typeof modelJson>;

export const exampleJson = z.object({
  question: text,
  model: text,
});
export type ExampleJson = Written<typeof exampleJson>;

export const healthJson = z.object({ status: z.literal('ok') });

export const readyJson = z.object({
  ready: flag,
  models: z.array(z.object({ name: text, healthy: flag })),
  journal: z.object({ healthy: flag }),
});

const share = z.object({ used: number, limit: maybeNumber });

export const usageJson = z.object({
  object: z.literal('list'),
  since_ms: number,
  data: z.array(
    z.object({
      object: z.literal('usage'),
      key: text,
      requests: number,
      refused: number,
      prompt_tokens: number,
      completion_tokens: number,
      verifier_tokens: number,
      quota: z.object({ window_ms: number, ends_ms: number, requests: share, tokens: share }).nullable(),
    }),
  ),
});
export type UsageJson = Written<typeof usageJson>;
