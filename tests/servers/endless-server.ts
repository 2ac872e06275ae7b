// A process of its own that answers without an end, or with more than anybody can read: `/plain` is an OpenAI-compatible server and `/vllm` a vLLM. What it
// answers next is set by `POST /kind`. Prints its address.

import * as http from 'node:http';
import type { AddressInfo } from 'node:net';

const mebibyte = 1024 * 1024;
const delta = (fields: object) =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta: fields, finish_reason: null }] })}\n\n`;
const choice = (fields: object) =>
  `data: ${JSON.stringify({ choices: [{ index: 0, finish_reason: null, ...fields }] })}\n\n`;

/** What is written again and again, after a beginning. */
const kinds: Readonly<Record<string, { readonly begin?: string; readonly again: string }>> = {
  'ids of vllm': { again: choice({ text: 'word ', token_ids: [7] }) },
  'text without ids': { again: choice({ text: 'word '.repeat(100) }) },
  tokens: { again: delta({ content: 'word ' }) },
  thoughts: { again: delta({ reasoning_content: 'hm ' }) },
  letters: { again: delta({ content: 'a' }) },
  'long chunks': { again: delta({ content: 'word '.repeat(20_000) }) },
  blanks: { again: delta({ content: '   ' }) },
  empties: { again: 'data: {"choices":[]}\n\n' },
  comments: { again: ': still here\n\n' },
  'one line': { begin: 'data: ', again: 'x'.repeat(16_384) },
  nothing: { again: 'x'.repeat(16_384) },
  'deep event': { begin: 'data: ', again: '['.repeat(16_384) },
  'deep body': { again: '['.repeat(16_384) },
  'lists in a body': { begin: '[', again: '[],'.repeat(5000) },
  'text in a body': { begin: '{"choices":[{"index":0,"text":"', again: 'word '.repeat(3000) },
};

let kind = 'tokens';

const pages: Readonly<Record<string, unknown>> = {
  '/plain/v1/models': { data: [{ id: 'm', owned_by: 'library' }] },
  '/vllm/v1/models': { data: [{ id: 'm', owned_by: 'vllm', max_model_len: 100_000 }] },
  '/vllm/version': { version: '0.30.0' },
  '/vllm/tokenize': { tokens: [1, 2, 3], count: 3 },
};

async function serve(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
  let body = '';
  for await (const chunk of request.setEncoding('utf8')) body += chunk;
  const path = request.url ?? '';
  if (path === '/kind') {
    kind = body;
    return void response.end();
  }
  if (path in pages) return void response.end(JSON.stringify(pages[path]));
  const asked = body === '' ? {} : JSON.parse(body);
  if (!path.endsWith('completions')) return void response.writeHead(404).end();
  // The one token that tells what the server is.
  if (asked.max_tokens === 1 && asked.return_token_ids)
    return void response.end(JSON.stringify({ choices: [{ index: 0, text: 'a', token_ids: [1], logprobs: {} }] }));
  response.writeHead(200, { 'content-type': asked.stream ? 'text/event-stream' : 'application/json' });
  const { begin = '', again } = kinds[kind]!;
  const block = Buffer.from(again.repeat(Math.ceil(65_536 / again.length)));
  response.write(begin);
  const gone = new Promise<void>((resolve) => response.once('close', resolve));
  for (let sent = 0; sent < 512 * mebibyte && !response.destroyed; sent += block.length)
    if (!response.write(block)) await Promise.race([gone, new Promise((resolve) => response.once('drain', resolve))]);
  response.end();
}

const server = http.createServer((request, response) => void serve(request, response).catch(() => response.destroy()));
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  console.log(JSON.stringify({ url: `http://127.0.0.1:${port}`, kinds: Object.keys(kinds) }));
});
