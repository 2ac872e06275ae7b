// The server of the wire benchmark, in a process of its own: speaks enough of vLLM's protocol for the remote engine, and
// writes one token per sequence and step time, whatever the number of sequences, so that what is missing at the client is
// the client's own. Steps have a fixed length; a prompt that holds six of them ends with the seventh. Prints its port.

import * as http from 'node:http';
import type { AddressInfo } from 'node:net';

const stepMs = Number(process.argv[2] ?? 12.8);
const stepTokens = Number(process.argv[3] ?? 64);
const rootTokens = 100;
const longestPathSteps = 6;

interface Body {
  readonly prompt: readonly number[];
  readonly n?: number;
  readonly stream?: boolean;
  readonly stream_interval?: number;
  readonly logprobs?: number;
  readonly max_tokens: number;
}

let turns = 0;

const words = Array.from({ length: stepTokens }, (_, at) => ` word${at}`);

function choiceOf(body: Body, index: number, from: number, to: number): unknown {
  const last = to === stepTokens;
  const ends = body.prompt.length >= rootTokens + longestPathSteps * stepTokens;
  const text = words.slice(from, to).join('');
  return {
    index,
    text: last && !ends ? `${text}\n\n` : text,
    logprobs:
      body.logprobs === undefined
        ? null
        : {
            text_offset: Array.from({ length: to - from }, (_, at) => from + at),
            token_logprobs: Array.from({ length: to - from }, () => -0.5),
            tokens: Array.from({ length: to - from }, (_, at) => `token_id:${from + at}`),
            top_logprobs: Array.from({ length: to - from }, (_, at) => ({ [`token_id:${from + at}`]: -0.5 })),
          },
    finish_reason: last ? 'stop' : null,
    stop_reason: last && !ends ? '\n\n' : null,
    token_ids: Array.from({ length: to - from }, (_, at) => 1000 * index + from + at),
  };
}

function usageOf(body: Body, siblings: number): unknown {
  const prompt = body.prompt.length;
  const details = { cached_tokens: prompt - (prompt % 16) };
  return { prompt_tokens: prompt, completion_tokens: siblings * stepTokens, prompt_tokens_details: details };
}

/** Requests do not end together; siblings do, since waiting for the slowest is the search's own affair. */
function durationMs(): number {
  turns += 1;
  return stepTokens * stepMs * (0.9 + 0.05 * (turns % 5));
}

function complete(body: Body, response: http.ServerResponse): void {
  const siblings = body.n ?? 1;
  if (body.stream !== true) {
    const choices = Array.from({ length: siblings }, (_, index) => choiceOf(body, index, 0, stepTokens));
    const answer = JSON.stringify({ id: 'cmpl-1', choices, usage: usageOf(body, siblings) });
    const whole = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(answer) };
    setTimeout(() => response.writeHead(200, whole).end(answer), durationMs());
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const interval = body.stream_interval ?? 1;
  const tokenMs = durationMs() / stepTokens;
  let open = siblings;
  for (let index = 0; index < siblings; index += 1) {
    const write = (from: number): void => {
      // The first token at once, then every so many.
      const to = from === 0 ? 1 : Math.min(stepTokens, from + interval);
      setTimeout(
        () => {
          response.write(`data: ${JSON.stringify({ id: 'cmpl-1', choices: [choiceOf(body, index, from, to)] })}\n\n`);
          if (to < stepTokens) return write(to);
          open -= 1;
          if (open > 0) return;
          response.write(`data: ${JSON.stringify({ id: 'cmpl-1', choices: [], usage: usageOf(body, siblings) })}\n\n`);
          response.end('data: [DONE]\n\n');
        },
        (to - from) * tokenMs,
      );
    };
    write(0);
  }
}

const sample = { choices: [{ text: 'a', logprobs: {}, token_ids: [5] }], usage: { prompt_tokens_details: {} } };
const pages: Readonly<Record<string, unknown>> = {
  '/v1/models': { data: [{ id: 'bench', owned_by: 'vllm', max_model_len: 32_768 }] },
  '/version': { version: 'bench' },
  '/tokenize': { tokens: Array.from({ length: rootTokens }, (_, at) => at) },
};
const metrics = 'vllm:num_requests_waiting 0\nvllm:num_requests_running 1\nvllm:kv_cache_usage_perc 0.1\n';

const server = http.createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const page = pages[request.url ?? ''];
    if (request.url === '/metrics') response.end(metrics);
    else if (page !== undefined) response.end(JSON.stringify(page));
    else {
      const body = JSON.parse(Buffer.concat(chunks).toString()) as Body;
      if (body.max_tokens === 1) response.end(JSON.stringify(sample));
      else complete(body, response);
    }
  });
});
// No socket may close between two turns of the benchmark.
server.keepAliveTimeout = 120_000;
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port));
