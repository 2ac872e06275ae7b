// The router of vLLM's production-stack (vllm-project/production-stack, August 2026: src/vllm_router/routers, services/request_service, protocols.py) before
// real test servers: cards of models without a context length, its own version and its own metrics page by server, errors as a plain text, one server for
// each value of its session key, and another server when that one cannot be reached.

import { createHash } from 'node:crypto';
import * as http from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestServer } from './server.ts';

const passed = ['/v1/completions', '/v1/chat/completions', '/tokenize', '/detokenize', '/v1/embeddings', '/score'];

export class ProductionStack {
  readonly #servers: readonly TestServer[];
  readonly #sessionKey: string;
  readonly #router: http.Server;

  constructor(servers: readonly TestServer[], sessionKey = 'x-session-id') {
    this.#servers = servers;
    this.#sessionKey = sessionKey;
    this.#router = http.createServer((request, response) => void this.#route(request, response));
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#router.address() as AddressInfo).port}`;
  }

  async listen(): Promise<this> {
    for (const server of this.#servers) await server.listen();
    await new Promise<void>((resolve) => this.#router.listen(0, '127.0.0.1', resolve));
    return this;
  }

  async close(): Promise<void> {
    for (const server of this.#servers) await server.close();
    this.#router.closeAllConnections();
    await new Promise((resolve) => this.#router.close(resolve));
  }

  async #route(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const path = request.url ?? '/';
    const [{ model: id }] = this.#servers as [TestServer];
    if (path === '/version') return tell(response, 200, { version: '0.1.9' });
    if (path === '/v1/models') {
      const card = { id, object: 'model', created: 1, owned_by: 'vllm', root: id, parent: null };
      return tell(response, 200, { object: 'list', data: [card] });
    }
    if (path === '/metrics') return tell(response, 200, this.#metrics());
    if (!passed.includes(path)) return tell(response, 404, { detail: 'Not Found' });
    const body = await textOf(request);
    const { model } = JSON.parse(body) as { readonly model?: string };
    if (model !== id)
      return tell(response, 404, {
        error: `Model '${model}' not found. Available models can be listed at /v1/models.`,
      });
    return this.#forward(path, body, request, response);
  }

  /** The servers in the order of a session: each value has its own. */
  #ordered(session: string): TestServer[] {
    const rank = (server: TestServer) =>
      createHash('sha256')
        .update(`${session} ${this.#servers.indexOf(server)}`)
        .digest('hex');
    return this.#servers.toSorted((a, b) => (rank(a) < rank(b) ? -1 : 1));
  }

  async #forward(path: string, body: string, request: http.IncomingMessage, response: http.ServerResponse) {
    const left = new AbortController();
    response.on('close', () => left.abort());
    for (const server of this.#ordered(String(request.headers[this.#sessionKey] ?? ''))) {
      try {
        const init = { method: 'POST', body, headers: { 'content-type': 'application/json' }, signal: left.signal };
        const answer = await fetch(`${server.url}${path}`, init);
        response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? 'application/json' });
        for await (const chunk of answer.body ?? []) response.write(chunk);
        return void response.end();
      } catch {
        if (left.signal.aborted) return;
        // What has begun cannot be sent again.
        if (response.headersSent) return void response.destroy();
      }
    }
    tell(response, 503, { error: 'Service temporarily unavailable.' });
  }

  #metrics(): string {
    const lines = this.#servers.flatMap(({ generating }, at) => [
      `vllm:num_requests_running{server="http://engine-${at}"} ${generating}.0`,
      `vllm:healthy_pods_total{server="http://engine-${at}"} 1.0`,
    ]);
    return [...lines, 'router_cpu_usage_percent 3.0', ''].join('\n');
  }
}

async function textOf(request: http.IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) text += chunk;
  return text;
}

function tell(response: http.ServerResponse, status: number, body: unknown): void {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  response.writeHead(status, { 'content-type': typeof body === 'string' ? 'text/plain' : 'application/json' });
  response.end(text);
}
