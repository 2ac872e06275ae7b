// Fields that clients of other servers send and that change nothing of an answer by search: benchmarks that want an answer of a given
// length, servers' own switches at their usual value. They are taken and named in a header; any other value of theirs is refused.

import { z } from 'zod';
import { refuse } from '../http/api-error.ts';
import { record, some } from './unchecked.ts';

type Test = (value: unknown) => boolean;

const isFlag: Test = (value) => typeof value === 'boolean';
const isText: Test = (value) => typeof value === 'string';
const is = (usual: unknown): Test => {
  return (value) => value === usual;
};

/** Whether leaving it out harms no client, by name. */
const harmless: Readonly<Record<string, Test>> = {
  // A search ends its answers where the model does, and counts what it generates.
  ignore_eos: isFlag,
  min_tokens: (value) => Number.isInteger(value),
  skip_special_tokens: isFlag,
  spaces_between_special_tokens: isFlag,
  add_special_tokens: isFlag,
  add_generation_prompt: is(true),
  continue_final_message: is(false),
  include_stop_str_in_output: is(false),
  return_tokens_as_token_ids: is(false),
  echo: is(false),
  use_beam_search: is(false),
  best_of: is(1),
  length_penalty: is(1),
  repetition_penalty: is(1),
  request_id: isText,
  cache_salt: isText,
  prompt_cache_retention: isText,
};

/** For the schema of a body. */
export const ignoredFields = Object.fromEntries(Object.keys(harmless).map((name) => [name, z.unknown().optional()]));

/** Of what a stream is to carry: usage in every chunk costs more than it tells. */
export const ignoredStreamOptions = { continuous_usage_stats: z.boolean().nullish() };

/** Of a message: who speaks among several of one role, which no chat template shows, and the type of its content. */
export const ignoredMessageFields = { name: z.string().max(512).nullish(), type: z.literal('text').nullish() };

/** The names of those that a body has, as its client wrote them. */
export function ignoredIn(body: object): string[] {
  const fields = record(body);
  const named = Object.entries(harmless).flatMap(([name, isHarmless]) => {
    const value = fields[name];
    if (value === undefined || value === null) return [];
    if (isHarmless(value)) return [name];
    return refuse('unsupported_parameter', `'${name}' cannot be honoured by a search`, name);
  });
  const { continuous_usage_stats: usage } = record(fields.stream_options);
  return [
    ...named,
    ...(usage === undefined || usage === null ? [] : ['stream_options.continuous_usage_stats']),
    ...Object.keys(ignoredMessageFields)
      .filter((name) => some(fields.messages, (message) => (record(message)[name] ?? null) !== null))
      .map((name) => `messages.${name}`),
  ];
}
