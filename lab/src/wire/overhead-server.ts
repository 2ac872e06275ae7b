// The server of the overhead benchmark, in a process of its own: speaks enough of vLLM's protocol for the remote engine, and
// answers each completion at once as a whole, a fixed time after its arrival. Prints its port.

import * as http from 'node:http';
import type { AddressInfo } from 'node:net';

const delayMs = Number(process.argv[2] ?? 250);
const tokens = Number(process.argv[3] ?? 16);

function completion(): string {
  const event = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`;
  const choice = (at: number): unknown => ({
    index: 0,
    text: at === tokens - 1 ? '.\n\n' : ' word',
    logprobs: { tokens: [`token_id:${at}`], token_logprobs: [-0.5] },
    finish_reason: at === tokens - 1 ? 'stop' : null,
    stop_reason: at === tokens - 1 ? '\n\n' : null,
    token_ids: [at + 5],
  });
  const usage = { prompt_tokens: 100, completion_tokens: tokens, prompt_tokens_details: { cached_tokens: 96 } };
  const chunks = Array.from({ length: tokens }, (_, at) => event({ id: 'cmpl-1', choices: [choice(at)] }));
  return `${chunks.join('')}${event({ id: 'cmpl-1', choices: [], usage })}data: [DONE]\n\n`;
}

const stream = completion();
const sample = { choices: [{ text: 'a', logprobs: {}, token_ids: [5] }], usage: { prompt_tokens_details: {} } };
const pages: Readonly<Record<string, unknown>> = {
  '/v1/models': { data: [{ id: 'bench', owned_by: 'vllm', max_model_len: 32_768 }] },
  '/version': { version: 'bench' },
  '/metrics': {},
  '/tokenize': { tokens: Array.from({ length: 100 }, (_, at) => at) },
};

const server = http.createServer((request, response) => {
  let body = '';
  request.setEncoding('utf8').on('data', (chunk: string) => {
    body += chunk;
  });
  request.on('end', () => {
    const page = pages[request.url ?? ''];
    if (page !== undefined) response.end(JSON.stringify(page));
    else if (!body.includes('"stream":true')) response.end(JSON.stringify(sample));
    else setTimeout(() => response.writeHead(200, { 'content-type': 'text/event-stream' }).end(stream), delayMs);
  });
});
// No socket may close between two turns of the benchmark.
server.keepAliveTimeout = 120_000;
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port));
