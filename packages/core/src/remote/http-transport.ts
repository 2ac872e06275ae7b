// The sockets to one server, on node:http. Never retries, except on a kept-alive socket that the server closed before we wrote to it.

import * as http from 'node:http';
import * as https from 'node:https';

export type WireHeaders = http.IncomingHttpHeaders;

export interface SentRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string>>;
}

export type WireResponse = Pick<http.IncomingMessage, 'statusCode' | 'headers' | 'on' | 'pause' | 'resume'>;

/** After `destroy` neither callback is called. */
export interface Transport {
  open(
    request: SentRequest,
    failed: (error: Error) => void,
    answered: (response: WireResponse) => void,
  ): { destroy(): void };
  close(): void;
}

export class HttpTransport implements Transport {
  readonly #place: http.RequestOptions;
  readonly #pathname: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #agent: http.Agent;
  readonly #http: typeof http | typeof https;

  constructor(base: URL, headers: Readonly<Record<string, string>>) {
    const { protocol, hostname, port, pathname } = base;
    this.#pathname = pathname.replace(/\/$/, '');
    this.#headers = headers;
    this.#http = base.protocol === 'https:' ? https : http;
    // Our own queue bounds the sockets: a second queue would hide it.
    this.#agent = new this.#http.Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });
    this.#place = { agent: this.#agent, protocol, hostname: hostname.replace(/^\[|\]$/g, ''), port };
  }

  open(
    { method, path, body, headers }: SentRequest,
    failed: (error: Error) => void,
    answered: (response: WireResponse) => void,
  ): { destroy(): void } {
    const payload = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
    const content =
      payload === undefined ? {} : { 'content-type': 'application/json', 'content-length': String(payload.length) };
    const options = {
      ...this.#place,
      method,
      path: `${this.#pathname}${path}`,
      headers: { ...this.#headers, ...headers, ...content },
    };
    let current: http.ClientRequest;
    let destroyed = false;
    const attempt = (): void => {
      current = this.#http.request(options);
      let responded = false;
      current.on('response', (response) => {
        responded = true;
        answered(response);
      });
      current.on('error', (error: Error & { readonly code?: string }) => {
        const stale = !responded && current.reusedSocket && (error.code === 'ECONNRESET' || error.code === 'EPIPE');
        if (stale && !destroyed) attempt();
        else if (!destroyed) failed(error);
      });
      // A connection that the server switched to another protocol is closed without an error.
      current.on('upgrade', (_, socket) => {
        socket.destroy();
        if (!destroyed) failed(new Error('the server switched to another protocol'));
      });
      current.end(payload);
    };
    attempt();
    return {
      destroy() {
        destroyed = true;
        current.destroy();
      },
    };
  }

  close(): void {
    this.#agent.destroy();
  }
}
