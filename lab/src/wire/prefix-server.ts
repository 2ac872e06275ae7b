// The reward model of the prefixes benchmark, in a process of its own: a causal model on vLLM with a prefix cache of whole blocks. A word is a
// token. A pass takes all calls that wait and lasts as long as their new tokens. Prints its port; GET /counts gives what it computed.

import * as http from 'node:http';
import type { AddressInfo } from 'node:net';

const blockTokens = 16;
const passMs = 4;
/** About 10,000 tokens a second: slow enough that the client is not the limit. */
const tokenMs = 0.1;

interface ScoreCall {
  readonly prompt: readonly string[];
  readonly labels: readonly number[];
  readonly response: http.ServerResponse;
}

const counts = { scores: 0, computed: 0 };
/** Blocks by the text up to their end. */
const blocks = new Set<string>();
const waiting: ScoreCall[] = [];
let busy = false;

function newTokens(text: string): number {
  const words = text.split(/\s+/).filter(Boolean);
  let cached = 0;
  let prefix = '';
  for (let end = blockTokens; end < words.length; end += blockTokens) {
    prefix = `${prefix} ${words.slice(end - blockTokens, end).join(' ')}`;
    if (blocks.has(prefix)) cached = end;
    blocks.add(prefix);
  }
  counts.scores += 1;
  counts.computed += words.length - cached;
  return words.length - cached;
}

function pass(): void {
  if (busy || waiting.length === 0) return;
  busy = true;
  const calls = waiting.splice(0);
  const computed = calls.flatMap(({ prompt }) => prompt.map(newTokens)).reduce((sum, each) => sum + each, 0);
  setTimeout(
    () => {
      busy = false;
      for (const call of calls) call.response.end(answerTo(call));
      pass();
    },
    passMs + computed * tokenMs,
  );
}

function answerTo({ prompt, labels }: ScoreCall): string {
  const top = { [`token_id:${labels[0]}`]: -0.4, [`token_id:${labels[1]}`]: -1.1 };
  const choices = prompt.map((_, index) => ({ index, text: '+', logprobs: { top_logprobs: [top] } }));
  return JSON.stringify({ id: 'cmpl-1', choices, usage: { prompt_tokens: prompt.length } });
}

const pages: Readonly<Record<string, unknown>> = {
  '/v1/models': { data: [{ id: 'prm', owned_by: 'vllm', max_model_len: 32_768 }] },
  '/version': { version: '0.26.0' },
  '/metrics': {},
};
const sample = { choices: [{ text: 'a', logprobs: {}, token_ids: [5] }], usage: { prompt_tokens_details: {} } };
const verdicts: Readonly<Record<string, unknown>> = { '+': { tokens: [648] }, '-': { tokens: [387] } };

const server = http.createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const page = request.url === '/counts' ? counts : pages[request.url ?? ''];
    if (page !== undefined) return response.end(JSON.stringify(page));
    const { prompt, logprob_token_ids: labels } = JSON.parse(Buffer.concat(chunks).toString());
    if (request.url === '/tokenize') return response.end(JSON.stringify(verdicts[String(prompt)]));
    if (labels === undefined) return response.end(JSON.stringify(sample));
    waiting.push({ prompt, labels, response });
    return pass();
  });
});
server.keepAliveTimeout = 120_000;
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port));
