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

export type WireResponse = Pick<http.IncomingMessage, 'statusCode' | 'headers' | 'on'>;

/** After `destroy` neither callback is called. */
export interface Transport {
  open(
    request: SentRequest,
    failed: (error: Error) => void,
    answered: (response: WireResponse) => void,
  ): { destroy(): void };
  close(): void;
}

/** Answers of status 1xx before the real one. */
const mostInterim = 100;
/** Bytes of an answer that one turn of the loop takes; as many may wait. */
const turnBytes = 16_384;
/** Pieces are smaller than any event only where a server writes byte by byte. Each takes hundreds of bytes that no collector counts. */
const pieceBytes = 64;
const mostPieces = 4096;
const pauseMs = 10;

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
    const sockets = { keepAlive: true, maxSockets: Number.POSITIVE_INFINITY, highWaterMark: turnBytes };
    this.#agent = new this.#http.Agent(sockets);
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
        pace(response);
      });
      let interim = 0;
      current.on('information', () => {
        interim += 1;
        if (interim > mostInterim) current.destroy(new Error(`more than ${mostInterim} interim answers`));
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

/** Other connections get their turn before a server that writes as fast as it can, or byte by byte. */
function pace(response: http.IncomingMessage): void {
  const all = { bytes: 0, pieces: 0 };
  let turn = { ...all };
  response.on('data', (chunk: Buffer) => {
    all.bytes += chunk.length;
    all.pieces += 1;
    const [bytes, pieces] = [all.bytes - turn.bytes, all.pieces - turn.pieces];
    if (Math.max(bytes, pieces * pieceBytes) < turnBytes) return;
    turn = { ...all };
    if (all.pieces > mostPieces && all.bytes < 16 * all.pieces)
      return void response.destroy(new Error(`${all.pieces} pieces for ${all.bytes} bytes`));
    response.pause();
    const goOn = () => response.resume();
    if (bytes < turnBytes) setTimeout(goOn, pauseMs);
    else setImmediate(goOn);
  });
}
