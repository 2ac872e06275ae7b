// A server of /v1/embeddings whose vectors are a function of the text.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface EmbeddingsServer {
  readonly url: string;
  /** Texts of each call. */
  readonly calls: string[][];
  how: 'well' | 'fail' | 'hang' | 'nonsense';
  close(): Promise<void>;
}

export async function startEmbeddings(vectorOf: (text: string) => readonly number[]): Promise<EmbeddingsServer> {
  const calls: string[][] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const { input } = JSON.parse(body) as { input: string[] };
    calls.push(input);
    if (own.how === 'hang') return;
    if (own.how === 'fail') return void response.writeHead(500).end('{"error":{"message":"broken"}}');
    if (own.how === 'nonsense') return void response.end('{"data":[{"embedding":"AAAA"}]}');
    // In reverse: clients must go by the index.
    const data = input.map((text, index) => ({ object: 'embedding', index, embedding: vectorOf(text) })).reverse();
    response.end(
      JSON.stringify({ object: 'list', data, usage: { prompt_tokens: input.length, total_tokens: input.length } }),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const own: EmbeddingsServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    how: 'well',
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return own;
}
