// What `/v1/usage` writes: what keys have used since the start of this process.

import { z } from 'zod';
import { maybeNumber, number, text, type Written } from './parts.ts';

const share = z.object({ used: number, limit: maybeNumber });

export const usageJson = z.object({
  object: z.literal('list'),
  since_ms: number,
  data: z.array(
    z.object({
      object: z.literal('usage'),
      key: text,
      requests: number,
      /** By its quota. */
      refused: number,
      prompt_tokens: number,
      completion_tokens: number,
      verifier_tokens: number,
      /** Null where it has none. */
      quota: z.object({ window_ms: number, ends_ms: number, requests: share, tokens: share }).nullable(),
    }),
  ),
});
export type UsageJson = Written<typeof usageJson>;
