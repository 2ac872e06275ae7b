// Creates the HTTP listener with its time-outs and connections. Input that is no HTTP gets an error in the API's shape.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { ApiError } from './api-error.ts';
import { Connections, type ToldCuts } from './connections.ts';
import type { FixedLimits } from './fixed-limits.ts';

interface HttpListener {
  serve(request: IncomingMessage, response: ServerResponse): void;
  refuse(request: IncomingMessage, response: ServerResponse, error: ApiError): void;
  warn(cuts: ToldCuts): void;
}

export interface HttpServer {
  readonly server: Server;
  readonly connections: Connections;
}

const headerBytes = 16_384;
const partingMs = 250;

export function createHttpServer(limits: FixedLimits, listener: HttpListener): HttpServer {
  const { headerMs, requestMs } = limits;
  const server = createServer({
    headersTimeout: headerMs,
    requestTimeout: requestMs,
    maxHeaderSize: headerBytes,
    connectionsCheckingInterval: Math.min(5000, headerMs),
    // Longer than the 60 s of common load balancers, which otherwise send into a closing connection.
    keepAliveTimeout: 65_000,
    // Bytes held for a client that does not read; the system buffers more.
    highWaterMark: 16_384,
  });
  const refuseExpectation = (request: IncomingMessage, response: ServerResponse) =>
    listener.refuse(request, response, new ApiError('expectation_failed', 'no expectation but 100-continue is met'));
  // A client may close its sending side and still get its answer; connections.ts probes for gone ones.
  Object.assign(server, { httpAllowHalfOpen: true });
  const connections = new Connections(server, { limits, warn: (cuts) => listener.warn(cuts) });
  server.on('request', (request, response) => connections.take(request, response, listener.serve));
  server.on('checkExpectation', (request, response) => connections.take(request, response, refuseExpectation));
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => answerBroken(error, socket as Socket));
  return { server, connections };
}

/** Answers if the client can still read. A client that never closes its side is cut off after `partingMs`. */
function answerBroken({ code }: NodeJS.ErrnoException, socket: Socket): void {
  if (code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const problem = problemOf(code);
  const body = JSON.stringify({ error: problem.body });
  const head = `HTTP/1.1 ${problem.status} ${problem.code}\r\ncontent-type: application/json; charset=utf-8\r\n`;
  socket.end(`${head}content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`);
  const parting = setTimeout(() => socket.destroy(), partingMs).unref();
  socket.once('close', () => clearTimeout(parting));
}

function problemOf(code: string | undefined): ApiError {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return new ApiError('headers_too_large', `the headers are larger than ${headerBytes} bytes`);
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new ApiError('request_timeout', 'the request was not complete in time');
    default:
      return new ApiError('bad_request', 'this is not a valid HTTP request');
  }
}
