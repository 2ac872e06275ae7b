// Log probabilities as OpenAI's chat completions write them.

import { z } from 'zod';
import { number, text, type Written } from './parts.ts';

export const tokenLogprob = z.object({
  /** What the token adds to the text; empty where its bytes wait for the next one. */
  token: text,
  logprob: number,
  bytes: z.array(z.int()),
  top_logprobs: z.array(z.never()),
});
export type TokenLogprob = Written<typeof tokenLogprob>;

export const logprobsJson = z.object({
  content: z.array(tokenLogprob),
  /** Of the steps before the answer, where these go out apart. */
  reasoning_content: z.array(tokenLogprob).exactOptional(),
  refusal: z.null(),
});
export type LogprobsJson = Written<typeof logprobsJson>;
