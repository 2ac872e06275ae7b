// The servers of the steps benchmark, generator and judge in one process of its own: enough of vLLM's protocol for the remote engine and a
// causal reward model. A step takes about 100 ms, each sibling with a length of its own; a stream has an event for every token, as in
// vLLM 0.26. A score takes 30 ms, whatever shares its call. Prints its port; GET /counts gives the counts of requests.

import * as http from 'node:http';
import type { AddressInfo } from 'node:net';

const tokenMs = 2;
const shortest = 24;
const spread = 32;
const scoreMs = 30;
const rootTokens = 300;
/** A prompt of this many tokens ends with its next step. */
const longestPrompt = rootTokens + 6 * (shortest + spread / 2);

interface Body {
  readonly prompt: readonly number[] | readonly string[];
  readonly n?: number;
  readonly stream?: boolean;
  readonly max_tokens: number;
  readonly logprobs?: number;
  readonly logprob_token_ids?: readonly number[];
  readonly return_token_ids?: boolean;
}

interface DrawnStep {
  readonly index: number;
  readonly tokens: number;
  readonly first: number;
}

const counts = { calls: 0, steps: 0, scoreCalls: 0, scores: 0 };
let drawn = 0;

function writtenAt(index: number): DrawnStep {
  drawn = (drawn * 48_271 + 11) % 2_147_483_647;
  return { index, tokens: shortest + (drawn % spread), first: 1000 + (drawn % 100_000) };
}

function choiceOf(body: Body, { index, tokens, first }: DrawnStep, from: number, to: number): unknown {
  const isLast = to === tokens;
  const ends = body.prompt.length >= longestPrompt;
  const ids = Array.from({ length: to - from }, (_, at) => first + from + at);
  const text = ids.map((id) => ` w${id}`).join('');
  const probabilities = {
    tokens: ids.map((id) => `token_id:${id}`),
    token_logprobs: ids.map(() => -0.5),
    top_logprobs: ids.map((id) => ({ [`token_id:${id}`]: -0.5 })),
  };
  return {
    index,
    text: isLast && !ends ? `${text}\n\n` : text,
    logprobs: body.logprobs === undefined ? null : probabilities,
    finish_reason: isLast ? 'stop' : null,
    stop_reason: isLast && !ends ? '\n\n' : null,
    ...(body.return_token_ids ? { token_ids: ids } : {}),
  };
}

function usageOf({ prompt }: Body, siblings: readonly DrawnStep[]): unknown {
  const written = siblings.reduce((sum, { tokens }) => sum + tokens, 0);
  const details = { cached_tokens: prompt.length - (prompt.length % 16) };
  return { prompt_tokens: prompt.length, completion_tokens: written, prompt_tokens_details: details };
}

function complete(body: Body, response: http.ServerResponse): void {
  const siblings = Array.from({ length: body.n ?? 1 }, (_, index) => writtenAt(index));
  const longest = Math.max(...siblings.map(({ tokens }) => tokens));
  counts.calls += 1;
  counts.steps += siblings.length;
  if (body.stream !== true) {
    const choices = siblings.map((each) => choiceOf(body, each, 0, each.tokens));
    const answer = JSON.stringify({ id: 'cmpl-1', choices, usage: usageOf(body, siblings) });
    setTimeout(() => response.writeHead(200, { 'content-type': 'application/json' }).end(answer), longest * tokenMs);
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const event = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`;
  let at = 0;
  // Timers are coarse: a few tokens of each sibling at a time, an event for each token.
  const timer = setInterval(() => {
    const events: string[] = [];
    for (let left = 4; left > 0 && at < longest; left -= 1, at += 1) {
      for (const each of siblings)
        if (at < each.tokens) events.push(event({ id: 'cmpl-1', choices: [choiceOf(body, each, at, at + 1)] }));
    }
    response.write(events.join(''));
    if (at < longest) return;
    clearInterval(timer);
    response.end(`${event({ id: 'cmpl-1', choices: [], usage: usageOf(body, siblings) })}data: [DONE]\n\n`);
  }, 4 * tokenMs);
}

function judge({ prompt, logprob_token_ids: labels = [] }: Body, response: http.ServerResponse): void {
  counts.scoreCalls += 1;
  counts.scores += prompt.length;
  const choices = prompt.map((_, index) => {
    const { first } = writtenAt(index);
    const good = 0.5 + (first % 400) / 1000;
    const top = { [`token_id:${labels[0]}`]: Math.log(good), [`token_id:${labels[1]}`]: Math.log(1 - good) };
    return { index, text: '+', logprobs: { top_logprobs: [top] }, finish_reason: 'length' };
  });
  const answer = JSON.stringify({ id: 'cmpl-1', choices, usage: { prompt_tokens: 40 * prompt.length } });
  setTimeout(() => response.end(answer), scoreMs);
}

const sample = { choices: [{ text: 'a', logprobs: {}, token_ids: [5] }], usage: { prompt_tokens_details: {} } };
const pages: Readonly<Record<string, unknown>> = {
  '/v1/models': { data: [{ id: 'bench', owned_by: 'vllm', max_model_len: 32_768 }] },
  '/version': { version: '0.26.0' },
};
const metrics = 'vllm:num_requests_waiting 0\nvllm:num_requests_running 1\nvllm:kv_cache_usage_perc 0.1\n';
const root = { tokens: Array.from({ length: rootTokens }, (_, at) => 20_000 + at) };
const verdicts: Readonly<Record<string, unknown>> = { '+': { tokens: [648] }, '-': { tokens: [387] } };

const server = http.createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const page = pages[request.url ?? ''];
    if (request.url === '/metrics') return response.end(metrics);
    if (request.url === '/counts') return response.end(JSON.stringify(counts));
    if (page !== undefined) return response.end(JSON.stringify(page));
    const body = JSON.parse(Buffer.concat(chunks).toString()) as Body;
    if (request.url === '/tokenize') return response.end(JSON.stringify(verdicts[String(body.prompt)] ?? root));
    if (body.logprob_token_ids !== undefined) return judge(body, response);
    if (body.max_tokens === 1) return response.end(JSON.stringify(sample));
    return complete(body, response);
  });
});
// No socket may close between two turns of the benchmark.
server.keepAliveTimeout = 120_000;
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port));
