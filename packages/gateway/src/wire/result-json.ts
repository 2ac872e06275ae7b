// The result of a finished search: texts apart from facts, because texts may be erased and facts stay.

import { z } from 'zod';
import { exit, flag, maybeNumber, maybeText, number, text, verdict, type Written } from './parts.ts';

export const usage = z.object({
  prompt_tokens: number,
  completion_tokens: number,
  total_tokens: number,
  prompt_tokens_details: z.object({ cached_tokens: number }),
  completion_tokens_details: z.object({ reasoning_tokens: number }),
});
export type Usage = Written<typeof usage>;
/** Repeated in an API's usage, which more clients keep than the rest of a reply. */
export const judgedUsage = { coppice: z.object({ verdict, verdict_text: text, confidence: maybeNumber }) };

const turnCall = z.object({ name: text, arguments: text });
export type TurnCall = Written<typeof turnCall>;
const said = { votes: z.array(z.object({ answer: text, votes: number })).exactOptional() };
export const resultTexts = z.object({
  content: maybeText,
  reasoning_content: maybeText,
  refusal: maybeText,
  answer: maybeText,
  /** For a turn of an agent: its calls, and the answers of all its draws, the most votes first. */
  calls: z.array(turnCall).exactOptional(),
  ...said,
});
export type ResultTexts = Written<typeof resultTexts>;

const writerJson = z.object({
  calls: number,
  prompt_tokens: number,
  cached_tokens: number,
  generated_tokens: number,
  money: number.exactOptional(),
  /** Code with which the model's engine failed, after which it was asked no more. */
  absent: text.exactOptional(),
});

const effort = {
  exit,
  verdict,
  verdict_text: text,
  score: maybeNumber,
  /** Probability that the answer is right, 0 to 1; null if answers cannot be compared. */
  confidence: maybeNumber,
  support: maybeNumber,
  complete: flag,
  rollouts: number,
  nodes: number,
  queue_ms: maybeNumber,
  search_ms: maybeNumber,
  tokens: z.record(text, number),
  models: z.record(text, writerJson).exactOptional(),
  money: number.exactOptional(),
  /** For several answers; `node` is the end of its path. */
  choices: z
    .array(z.object({ index: number, node: number, verdict, score: maybeNumber, confidence: maybeNumber }))
    .exactOptional(),
};

const bins = z.array(number);

export const resultFacts = z.object({
  ...effort,
  /** `length` only if the text was cut: some clients take it for an error. */
  finish_reason: z.enum(['stop', 'length']),
  matchedStop: text.exactOptional(),
  usage,
  escalated_to: text.exactOptional(),
  /** See tree/readings/audit.ts; for figures over many searches. */
  audit: z
    .object({
      judge: text.exactOptional(),
      pairs: number,
      right: number,
      agreed: bins,
      differed: bins,
      branched: z
        .object({
          fresh: number,
          below: number,
          bothFresh: number,
          bothBelow: number,
          oneOfEach: number,
          tokens: z.tuple([number, number]),
        })
        .exactOptional(),
    })
    .exactOptional(),
});
export type ResultFacts = Written<typeof resultFacts>;

export const coppiceJson = z.object({
  search: text,
  answer: maybeText,
  ...said,
  ...effort,
  scoring: text.exactOptional(),
  program: text.exactOptional(),
  policy: text.exactOptional(),
  weights: text.exactOptional(),
  passed_through: z.literal(true).exactOptional(),
  escalated_from: maybeText,
});
export type CoppiceJson = Written<typeof coppiceJson>;

export interface ClientResult {
  readonly texts: ResultTexts;
  readonly outcome: ResultFacts;
}

export const tokenLogprob = z.object({
  /** Empty while its bytes wait for the next token. */
  token: text,
  logprob: number,
  bytes: z.array(z.int()),
  top_logprobs: z.array(z.never()),
});
export type TokenLogprob = Written<typeof tokenLogprob>;

export const logprobsJson = z.object({
  content: z.array(tokenLogprob),
  /** Tokens of the steps before the answer, if these are sent apart. */
  reasoning_content: z.array(tokenLogprob).exactOptional(),
  refusal: z.null(),
});
export type LogprobsJson = Written<typeof logprobsJson>;
