// llama.cpp's server: the native /completion, which says `stop_type` (word, eos, limit), counts its cache in `timings` and
// ends its streams without [DONE]. The stop word is never part of the text, so it is put back here.

import { isRecord } from '../../../base/record.ts';
import { count, numbers, protocolFault, readEvent, records, streamFault, text } from '../../../remote/wire-values.ts';
import { entropyOfLikeliest, likeliest } from './completion-chunk.ts';
import { type Dialect, extrasFor, neutralSampling, type Update, type WireEnd, type WireRequest } from './dialect.ts';
import { templateFields } from './render.ts';

export const llamaServer: Dialect = {
  name: 'llama-server',
  takesTokens: true,
  givesWhole: false,
  sumsUsage: false,
  tellsEntropy: true,
  tellsPieces: true,
  holdsShapes: true,
  stopLimit: Number.POSITIVE_INFINITY,
  takes: [
    ...[
      'top_k',
      'min_p',
      'presence_penalty',
      'frequency_penalty',
      'repetition_penalty',
      'repeat_penalty',
      'logit_bias',
    ],
    ...['repeat_last_n', 'typical_p', 'top_n_sigma', 'xtc_probability', 'xtc_threshold', 'mirostat', 'mirostat_tau'],
    ...['mirostat_eta', 'dynatemp_range', 'dry_multiplier', 'dry_base', 'dry_allowed_length', 'dry_penalty_last_n'],
  ],
  passes: ['continue_final_message', 'grammar'],

  encode(call) {
    const { temperature, topP, topK, minP } = neutralSampling(call.sampling);
    const {
      repetition_penalty,
      repeat_penalty = repetition_penalty,
      ...extras
    } = extrasFor(llamaServer, call.sampling);
    return {
      path: '/completion',
      body: {
        prompt: call.tokenIds,
        n_predict: call.maxTokens,
        ignore_eos: call.exact ? true : undefined,
        n_cmpl: call.siblings > 1 ? call.siblings : undefined,
        temperature,
        top_p: topP,
        top_k: topK,
        min_p: minP,
        ...extras,
        repeat_penalty,
        // Its seeds are unsigned 32-bit numbers, and the largest means "draw one".
        seed: call.seed === undefined ? undefined : call.seed % 0xffffffff,
        stop: call.stops,
        n_probs: call.entropy ? likeliest : call.logprobs ? 1 : undefined,
        json_schema: call.shape,
        return_tokens: call.ids !== false,
        cache_prompt: true,
        stream: true,
      },
    };
  },

  decode(event, call) {
    const completion = readEvent(event, 'a completion');
    if (typeof completion.content !== 'string') protocolFault('a completion without content', event);
    const probabilities = records(completion.completion_probabilities);
    const update: Update = {
      index: count(completion.index) ?? 0,
      text: completion.content,
      tokenIds: numbers(completion.tokens),
      logprobs: probabilities.map(logprobOf),
      written: call.pieces ? probabilities.map(({ token }) => text(token)) : undefined,
      entropy: call.entropy ? firstEntropy(completion) : undefined,
    };
    return [completion.stop === true ? { ...update, ...endOf(completion) } : update];
  },

  render(prompt) {
    if (prompt.kind === 'text') return [() => tokenizeRequest(prompt.text, true)];
    return [
      () => ({ path: '/apply-template', body: templateFields(prompt) }),
      // Its own chat route adds the model's first token too.
      (previous) => tokenizeRequest(isRecord(previous) ? text(previous.prompt) : '', true),
    ];
  },

  tokenize: (content: string) => tokenizeRequest(content, false),
};

function tokenizeRequest(content: string, addSpecial: boolean): WireRequest {
  // A model's words are text even if they look like a special token; a rendered prompt has real ones.
  return { path: '/tokenize', body: { content, add_special: addSpecial, parse_special: addSpecial } };
}

function firstEntropy({ completion_probabilities: tokens }: Record<string, unknown>): number | undefined {
  const [first] = records(tokens);
  return entropyOfLikeliest(records(first?.top_logprobs).map(logprobOf));
}

/** JSON has no NaN: a model whose numbers broke down gives null, and would write one token for ever. */
function logprobOf(entry: Record<string, unknown>): number {
  return typeof entry.logprob === 'number' ? entry.logprob : streamFault('NaN in the log probabilities', 500);
}

function endOf(event: Record<string, unknown>): Pick<Update, 'end' | 'appended' | 'usage'> {
  const timings = isRecord(event.timings) ? event.timings : {};
  const usage = {
    promptTokens: count(event.tokens_evaluated),
    // `tokens_cached` is the size of the slot, not what was reused.
    cachedTokens: count(timings.cache_n),
    generatedTokens: count(event.tokens_predicted),
  };
  switch (event.stop_type) {
    case 'word':
      return { end: 'delimiter' satisfies WireEnd, appended: text(event.stopping_word), usage };
    case 'eos':
      return { end: 'eos', usage };
    case 'limit':
      return { end: 'length', usage };
    default:
      return protocolFault('an unknown stop_type', event.stop_type);
  }
}
