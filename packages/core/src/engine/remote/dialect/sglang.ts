// SGLang: the native /generate, which tells the matched stop (a string for a delimiter, a number for an end token) and its cache hits. Its
// streams repeat everything so far, or not, by a server flag; each event shows which.

import { isRecord } from '../../../base/record.ts';
import {
  count,
  numberOrNaN,
  numbers,
  protocolFault,
  readEvent,
  streamFault,
  text,
} from '../../../remote/wire-values.ts';
import { type Call, type Dialect, extrasFor, neutralSampling, type WireEnd, wirePriority } from './dialect.ts';
import { renderByTokenize, tokenizeText } from './render.ts';

export const sglang: Dialect = {
  name: 'sglang',
  takesTokens: true,
  givesWhole: true,
  sumsUsage: false,
  tellsPieces: true,
  holdsShapes: true,
  stopLimit: Number.POSITIVE_INFINITY,
  takes: ['top_k', 'min_p', 'presence_penalty', 'frequency_penalty', 'repetition_penalty', 'logit_bias'],
  passes: ['continue_final_message', 'regex', 'ebnf', 'stop_token_ids'],

  encode(call, facts) {
    const { temperature, topP, topK, minP } = neutralSampling(call.sampling);
    return {
      path: '/generate',
      body: {
        rid: call.name,
        input_ids: call.tokenIds,
        sampling_params: {
          max_new_tokens: call.maxTokens,
          ...(call.exact ? { min_new_tokens: call.maxTokens, ignore_eos: true } : {}),
          temperature,
          top_p: topP,
          top_k: topK === 0 ? -1 : topK,
          min_p: minP,
          ...extrasFor(sglang, call.sampling),
          json_schema: call.shape && JSON.stringify(call.shape),
          sampling_seed: call.seed,
          // The first match of the list is reported, so longer stops go first.
          ...(call.stops.length === 0
            ? {}
            : { stop: call.stops.toSorted((a, b) => b.length - a.length), no_stop_trim: true }),
        },
        return_logprob: call.logprobs,
        return_text_in_logprobs: call.pieces ? true : undefined,
        stream: call.delivery !== 'whole',
        priority: wirePriority(call, facts.priorityOrder),
      },
    };
  },

  decode(event, call) {
    const generation = readEvent(event, 'a generation');
    const meta = generation.meta_info;
    if (!isRecord(meta)) protocolFault('a generation without meta_info', event);
    const tokenIds = numbers(generation.output_ids);
    const generatedTokens = count(meta.completion_tokens);
    return [
      {
        index: count(generation.index) ?? 0,
        text: text(generation.text),
        tokenIds,
        logprobs: entriesOf(meta.output_token_logprobs).map(([logprob]) => numberOrNaN(logprob)),
        written: call.pieces ? entriesOf(meta.output_token_logprobs).map((entry) => text(entry[2])) : undefined,
        cumulative: generatedTokens === undefined || tokenIds.length === generatedTokens,
        end: endOf(meta.finish_reason, call),
        usage: {
          promptTokens: count(meta.prompt_tokens),
          cachedTokens: count(meta.cached_tokens),
          generatedTokens,
        },
      },
    ];
  },

  abort: (call) => ({ path: '/abort_request', body: { rid: call.name, abort_all: false } }),

  render: renderByTokenize,
  tokenize: tokenizeText,
};

function endOf(finish: unknown, call: Call): WireEnd | undefined {
  if (finish === undefined || finish === null) return undefined;
  if (!isRecord(finish)) return protocolFault('an unknown finish_reason', finish);
  switch (finish.type) {
    case 'stop':
      if (finish.matched === 'NaN happened') return streamFault('NaN in the logits', 500);
      return typeof finish.matched === 'string' && call.stops.includes(finish.matched) ? 'delimiter' : 'eos';
    case 'length':
      return 'length';
    case 'abort':
      return streamFault(text(finish.message) || 'it aborted the request', count(finish.status_code) ?? 503);
    default:
      return protocolFault('an unknown finish_reason', finish);
  }
}

function entriesOf(value: unknown): (readonly unknown[])[] {
  return Array.isArray(value) ? value.map((entry) => (Array.isArray(entry) ? entry : [])) : [];
}
