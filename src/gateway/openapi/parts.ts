// Parts that the schemas of several answers have.

import { z } from 'zod';
import { exitKinds } from '../../log/end.ts';
import { verdicts } from '../../log/verdict.ts';
import type { Usage } from '../wire/result-json.ts';
import type { ErrorJson } from '../wire/search-json.ts';

export const text = z.string();
export const maybeText = text.nullable();
export const number = z.number();
export const maybeNumber = number.nullable();
export const flag = z.boolean();
export const anything = z.record(text, z.unknown());

export const list = <Item extends z.ZodType>(data: Item, more: z.ZodRawShape = {}) =>
  z.object({ object: z.literal('list'), data: z.array(data), ...more });
export const pages = { first_id: maybeText, last_id: maybeText, has_more: flag };
export const deleted = (object: string) => z.object({ id: text, object: z.literal(object), deleted: z.literal(true) });

export const evidence = z.record(text, z.union([number, text]));
export const exit = z.object({ kind: z.enum(exitKinds), rule: text, evidence });
export const verdict = z.enum(verdicts);
export const width = z.object({ primary: number, speculative: number });
export const why = evidence.nullable();
export const error: z.ZodType<ErrorJson> = z.object({ message: text, type: text, param: maybeText, code: text });

export const usage: z.ZodType<Usage> = z.object({
  prompt_tokens: number,
  completion_tokens: number,
  total_tokens: number,
  prompt_tokens_details: z.object({ cached_tokens: number }),
  completion_tokens_details: z.object({ reasoning_tokens: number }),
});

const effort = {
  exit,
  verdict,
  verdict_text: text,
  score: maybeNumber,
  support: maybeNumber,
  complete: flag,
  rollouts: number,
  nodes: number,
  queue_ms: maybeNumber,
  search_ms: maybeNumber,
  tokens: z.record(text, number),
};
export const coppiceFields = {
  search: text,
  answer: maybeText,
  ...effort,
  scoring: text.exactOptional(),
  program: text.exactOptional(),
  policy: text.exactOptional(),
  calibrated: z.array(text).exactOptional(),
  passed_through: z.literal(true).exactOptional(),
  escalated_from: maybeText,
};
export const coppice = z.object(coppiceFields);
