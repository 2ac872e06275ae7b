// The socket's side of the gateway: how many connections, how long they may take, and an answer in the API's shape to
// what is not HTTP at all.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Config } from '../../config/schema.ts';
import { ApiError } from './api-error.ts';

export interface HttpListener {
  serve(request: IncomingMessage, response: ServerResponse): void;
  refuse(request: IncomingMessage, response: ServerResponse, error: ApiError): void;
}

const headerBytes = 16_384;
const shortConnections = 1000;

export function createHttpServer({ headerMs, requestMs, streams }: Config['server'], listener: HttpListener): Server {
  const server = createServer({
    headersTimeout: headerMs,
    requestTimeout: requestMs,
    maxHeaderSize: headerBytes,
    connectionsCheckingInterval: 5000,
    // Longer than the 60 s of common load balancers, which otherwise send into a connection that we are closing.
    keepAliveTimeout: 65_000,
  });
  // Every stream and some more for short requests; what comes beyond is not even read.
  server.maxConnections = streams + shortConnections;
  server.on('request', (request, response) => listener.serve(request, response));
  server.on('checkExpectation', (request, response) =>
    listener.refuse(request, response, new ApiError('expectation_failed', 'no expectation but 100-continue is met')),
  );
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => answerBroken(error, socket as Socket));
  return server;
}

/** Where there is anyone to read it. */
function answerBroken({ code }: NodeJS.ErrnoException, socket: Socket): void {
  if (code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const problem = problemOf(code);
  const body = JSON.stringify({ error: problem.body });
  const head = `HTTP/1.1 ${problem.status} ${problem.code}\r\ncontent-type: application/json; charset=utf-8\r\n`;
  socket.end(`${head}content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`);
}

function problemOf(code: string | undefined): ApiError {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return new ApiError('headers_too_large', `the headers are larger than ${headerBytes} bytes`);
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new ApiError('request_timeout', 'the request was not complete in time (server.requestMs)');
    default:
      return new ApiError('bad_request', 'this is not a valid HTTP request');
  }
}
