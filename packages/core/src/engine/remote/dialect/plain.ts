// Any other OpenAI-compatible server: text only, one sequence per request, and "stop" for delimiter and end alike. So no delimiter is sent
// and we cut the stream. A path is a trailing assistant message, which the server must continue. Thinking in a field of its own cannot be
// continued: such a server writes a path in one piece.

import { isRecord } from '../../../base/record.ts';
import { protocolFault, streamFault, text } from '../../../remote/wire-values.ts';
import { decodeChunk } from './completion-chunk.ts';
import { type Dialect, extrasFor, type Update, type WireEnd } from './dialect.ts';

export const plain: Dialect = {
  name: 'openai',
  takesTokens: false,
  givesWhole: false,
  sumsUsage: false,
  stopLimit: 0,
  takes: ['presence_penalty', 'frequency_penalty', 'logit_bias'],
  passes: [],

  encode(call, facts) {
    const { temperature, topP } = call.sampling;
    const body = {
      model: facts.model,
      max_tokens: call.maxTokens,
      temperature,
      top_p: topP,
      seed: call.seed,
      ...extrasFor(plain, call.sampling),
      stream: true,
      stream_options: { include_usage: true },
    };
    if (call.prompt.kind === 'text') {
      return { path: '/v1/completions', body: { ...body, prompt: call.prompt.text + call.pathText } };
    }
    const path = call.pathText === '' ? [] : [{ role: 'assistant', content: call.pathText }];
    const messages = [...call.prompt.messages, ...(call.said ?? []), ...path];
    return { path: '/v1/chat/completions', body: { ...body, messages, chat_template_kwargs: call.prompt.template } };
  },

  decode: (event) => decodeChunk(event, updateOf),
};

function updateOf(choice: Record<string, unknown>): Update {
  const delta = isRecord(choice.delta) ? choice.delta : {};
  const said = { index: 0, text: text(choice.text) || text(delta.content), end: endOf(choice.finish_reason) };
  // vLLM calls it `reasoning`, SGLang and llama-server `reasoning_content`; some send both, which say the same.
  const thought = text(delta.reasoning) || text(delta.reasoning_content);
  return thought === '' ? said : { ...said, thought };
}

function endOf(finish: unknown): WireEnd | undefined {
  if (finish === undefined || finish === null) return undefined;
  if (finish === 'stop' || finish === 'eos_token' || finish === 'stop_sequence') return 'eos';
  if (finish === 'length') return 'length';
  if (finish === 'content_filter') return streamFault('its content filter cut the answer', 400);
  return protocolFault('an unknown finish_reason', finish);
}
