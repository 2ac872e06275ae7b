// vLLM: /v1/completions with token ids. `stop_reason` is a string for a stop string, null for the primary end-of-sequence
// token and a number for any other one, so: a string that we sent is a delimiter, any other stop is the end.

import {
  type Call,
  count,
  type Dialect,
  isRecord,
  neutralSampling,
  numbers,
  protocolFault,
  records,
  type ServerFacts,
  streamFault,
  text,
  type Update,
  type WireEnd,
  type WireUsage,
  wirePriority,
} from './dialect.ts';
import { messageOf } from './failure.ts';

/** VLLM_MAX_STOP_STRINGS, since 0.28. */
const stopLimit = 4;

export const vllm: Dialect = {
  name: 'vllm',
  takesTokens: true,
  seesStops: true,
  stopLimit,

  encode(call, facts) {
    const { temperature, topP, topK, minP } = neutralSampling(call.sampling);
    const priority = wirePriority(call, facts.priorityOrder);
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
        seed: call.seed,
        ...stops,
        logprobs: 1,
        return_tokens_as_token_ids: true,
        return_token_ids: true,
        stream: true,
        stream_options: { include_usage: true },
        ...(priority === undefined ? {} : { priority }),
      },
    };
  },

  decode(event, call) {
    if (!isRecord(event)) protocolFault('not a completion chunk', event);
    if (event.error !== undefined && event.error !== null) {
      const code = isRecord(event.error) ? count(event.error.code) : undefined;
      streamFault(messageOf(event) ?? 'no reason given', code);
    }
    if (!Array.isArray(event.choices)) protocolFault('a completion chunk without choices', event);
    const usage = usageOf(event.usage);
    const choices = records(event.choices);
    if (choices.length === 0 && usage !== undefined) return [{ index: 0, text: '', usage }];
    return choices.map((choice) => updateOf(choice, call, usage));
  },

  render(prompt, facts) {
    if (prompt.kind === 'text') {
      return [
        () => ({ path: '/tokenize', body: { model: facts.model, prompt: prompt.text, add_special_tokens: true } }),
      ];
    }
    const open = prompt.messages.at(-1)?.role === 'assistant';
    const body = {
      model: facts.model,
      messages: prompt.messages,
      add_generation_prompt: !open,
      continue_final_message: open,
    };
    return [() => ({ path: '/tokenize', body })];
  },

  tokenize: (content: string, facts: ServerFacts) => ({
    path: '/tokenize',
    body: { model: facts.model, prompt: content, add_special_tokens: false },
  }),
};

function updateOf(choice: Record<string, unknown>, call: Call, usage: WireUsage | undefined): Update {
  const logprobs = isRecord(choice.logprobs) ? numbers(choice.logprobs.token_logprobs) : [];
  const end = endOf(choice, call);
  return {
    index: count(choice.index) ?? 0,
    text: text(choice.text),
    tokenIds: numbers(choice.token_ids),
    logprobs,
    ...(end === undefined ? {} : { end }),
    ...(usage === undefined ? {} : { usage }),
  };
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

/** The counts of an OpenAI `usage` object; `cached_tokens` is there only where the server was told to report it. */
export function usageOf(value: unknown): WireUsage | undefined {
  if (!isRecord(value)) return undefined;
  const details = isRecord(value.prompt_tokens_details) ? value.prompt_tokens_details : {};
  return {
    promptTokens: count(value.prompt_tokens),
    cachedTokens: count(details.cached_tokens),
    generatedTokens: count(value.completion_tokens),
  };
}
