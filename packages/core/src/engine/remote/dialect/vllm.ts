// vLLM: /v1/completions with token ids. `stop_reason` is a string for a stop string, null for the primary end-of-sequence
// token and a number for any other one, so: a string that we sent is a delimiter, any other stop is the end.

import { isRecord } from '../../../base/record.ts';
import { count, numbers, protocolFault, records, streamFault, strings, text } from '../../../remote/wire-values.ts';
import { decodeChunk, entropyOfLikeliest, likeliest } from './completion-chunk.ts';
import {
  type Call,
  type Dialect,
  extrasFor,
  neutralSampling,
  type Update,
  type WireEnd,
  wirePriority,
} from './dialect.ts';
import { renderByTokenize, tokenizeText } from './render.ts';

export const vllm: Dialect = {
  name: 'vllm',
  takesTokens: true,
  givesWhole: true,
  sumsUsage: true,
  tellsEntropy: true,
  tellsPieces: true,
  holdsShapes: true,
  /** VLLM_MAX_STOP_STRINGS, since 0.28. */
  stopLimit: 4,
  takes: ['top_k', 'min_p', 'presence_penalty', 'frequency_penalty', 'repetition_penalty', 'logit_bias', 'bad_words'],
  passes: [
    'add_generation_prompt',
    'continue_final_message',
    'include_stop_str_in_output',
    'structured_outputs',
    'prompt_logprobs',
    'allowed_token_ids',
    'stop_token_ids',
    'cache_salt',
  ],

  encode(call, facts) {
    const { temperature, topP, topK, minP } = neutralSampling(call.sampling);
    const stops = call.stops.length === 0 ? {} : { stop: call.stops, include_stop_str_in_output: true };
    return {
      path: '/v1/completions',
      body: {
        model: facts.model,
        prompt: call.tokenIds,
        max_tokens: call.maxTokens,
        n: call.siblings,
        temperature,
        top_p: topP,
        top_k: topK,
        min_p: minP,
        repetition_penalty: 1,
        ...extrasFor(vllm, call.sampling),
        // Rows with a seed are drawn one by one, and log probabilities pass through the front end.
        seed: call.seed,
        ...stops,
        ...(call.exact ? { min_tokens: call.maxTokens, ignore_eos: true } : {}),
        logprobs: call.entropy ? likeliest : call.logprobs ? 0 : undefined,
        return_tokens_as_token_ids: call.logprobs || call.entropy ? call.pieces !== true : undefined,
        response_format: call.shape && { type: 'json_schema', json_schema: { name: 'answer', schema: call.shape } },
        return_token_ids: call.ids !== false,
        ...deliveryOf(call),
        priority: wirePriority(call, facts.priorityOrder),
        cache_salt: call.salt,
      },
    };
  },

  decode: (event, call) => decodeChunk(event, (choice) => updateOf(choice, call)),
  render: renderByTokenize,
  tokenize: tokenizeText,
};

/** Tokens between two chunks of one sibling; servers that do not know the field ignore it. */
const longestInterval = 256;

function deliveryOf({ delivery, maxTokens }: Call): Record<string, unknown> {
  if (delivery === 'whole') return { stream: false };
  const streamed = { stream: true, stream_options: { include_usage: true } };
  return delivery === 'tokens' ? streamed : { ...streamed, stream_interval: Math.min(maxTokens, longestInterval) };
}

function updateOf(choice: Record<string, unknown>, call: Call): Update {
  const told = isRecord(choice.logprobs) ? choice.logprobs : {};
  return {
    index: count(choice.index) ?? 0,
    text: text(choice.text),
    tokenIds: numbers(choice.token_ids),
    logprobs: numbers(told.token_logprobs),
    written: call.pieces ? strings(told.tokens) : undefined,
    entropy: call.entropy ? firstEntropy(choice) : undefined,
    end: endOf(choice, call),
  };
}

/** A dictionary per token: its likeliest candidates, and itself. */
function firstEntropy({ logprobs }: Record<string, unknown>): number | undefined {
  const [first] = isRecord(logprobs) ? records(logprobs.top_logprobs) : [];
  return entropyOfLikeliest(numbers(Object.values(first ?? {})));
}

function endOf(choice: Record<string, unknown>, call: Call): WireEnd | undefined {
  const { finish_reason: finish, stop_reason: stop } = choice;
  if (finish === undefined || finish === null) return undefined;
  switch (finish) {
    case 'stop':
      return typeof stop === 'string' && call.stops.includes(stop) ? 'delimiter' : 'eos';
    case 'length':
    case 'repetition':
      return 'length';
    case 'abort':
      return streamFault('it aborted the request', 503);
    default:
      return protocolFault('an unknown finish_reason', finish);
  }
}
