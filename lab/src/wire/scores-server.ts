// The reward model of the scores benchmark, in a process of its own: vLLM's /pooling over passes. A pass takes waiting inputs, up to its tokens, and
// lasts a fixed time plus some per token; a call is answered when all of its inputs are done. Prints its port.

import * as http from 'node:http';
import type { AddressInfo } from 'node:net';

const passTokens = Number(process.argv[2] ?? 16_384);
const passMs = 5;
/** Unless given, of a 7B on an H200 that it has to itself: about 40,000 tokens a second. */
const tokenMs = Number(process.argv[3] ?? 0.025);
const charactersPerToken = 4;

interface Input {
  readonly tokens: number;
  done(): void;
}

const waiting: Input[] = [];
let busy = false;

function pass(): void {
  if (busy || waiting.length === 0) return;
  busy = true;
  const batch: Input[] = [];
  let tokens = 0;
  while (waiting.length > 0 && (batch.length === 0 || tokens + waiting[0]!.tokens <= passTokens)) {
    const next = waiting.shift()!;
    tokens += next.tokens;
    batch.push(next);
  }
  setTimeout(
    () => {
      busy = false;
      for (const { done } of batch) done();
      pass();
    },
    passMs + tokens * tokenMs,
  );
}

function pool(body: { readonly input: readonly string[] }, response: http.ServerResponse): void {
  let open = body.input.length;
  let tokens = 0;
  const data = body.input.map((input, index) => {
    const tags = input.split('<extra_0>').length - 1;
    return { index, object: 'pooling', data: Array.from({ length: tags }, () => [0.3, 0.7]) };
  });
  for (const input of body.input) {
    const size = Math.ceil(input.length / charactersPerToken);
    tokens += size;
    waiting.push({
      tokens: size,
      done() {
        open -= 1;
        if (open === 0) response.end(JSON.stringify({ data, usage: { prompt_tokens: tokens } }));
      },
    });
  }
  pass();
}

const pages: Readonly<Record<string, unknown>> = {
  '/v1/models': { data: [{ id: 'prm', owned_by: 'vllm', max_model_len: 4096 }] },
  '/version': { version: '0.26.0' },
  '/metrics': {},
};

const server = http.createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const page = pages[request.url ?? ''];
    if (page !== undefined) response.end(JSON.stringify(page));
    else pool(JSON.parse(Buffer.concat(chunks).toString()) as { input: string[] }, response);
  });
});
server.keepAliveTimeout = 120_000;
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port));
