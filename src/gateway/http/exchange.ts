// One HTTP request and its answer: reading a bounded body, writing JSON and errors, always with the same headers.

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ErrorJson } from '../wire/search-json.ts';
import { ApiError, refuse } from './api-error.ts';
import type { Caller } from './keys.ts';
import type { TraceContext } from './trace-context.ts';

export interface Exchange {
  readonly id: string;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly caller: Caller;
  /** Parts of the path that the route leaves open. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** The search that was started or touched, for the log. */
  search?: string;
  /** The span of this request, where it is traced. */
  trace?: TraceContext;
}

/** Answers are data, never documents: nothing may be sniffed, framed or cached. */
export const baseHeaders: Readonly<Record<string, string>> = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
};

export function writeJson(
  response: ServerResponse,
  status: number,
  value: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  if (response.headersSent || response.destroyed) return;
  const body = Buffer.from(JSON.stringify(value));
  response.writeHead(status, {
    ...baseHeaders,
    'content-type': 'application/json; charset=utf-8',
    'content-length': body.length,
    'cache-control': 'no-store',
    ...headers,
  });
  response.end(body);
}

/** An error in the words of Anthropic's API. */
export function messagesError({ type, code, message, param }: ErrorJson) {
  return { type: 'error', error: { type: type === 'server_error' ? 'api_error' : type, message, code, param } };
}

/** `path`: of the request; a client of another API is told in its own words. */
export function writeError(
  response: ServerResponse,
  error: ApiError,
  headers: Readonly<Record<string, string>> = {},
  path = '',
): void {
  const retry = error.retryAfterSeconds === undefined ? {} : { 'retry-after': String(error.retryAfterSeconds) };
  const allow = error.allow === undefined ? {} : { allow: error.allow };
  const challenge = error.status === 401 ? { 'www-authenticate': 'Bearer' } : {};
  const told = path.startsWith('/v1/messages') ? messagesError(error.body) : { error: error.body };
  writeJson(response, error.status, told, { ...retry, ...allow, ...challenge, ...headers });
}

export async function readBody(request: IncomingMessage, limitBytes: number): Promise<Buffer> {
  const type = (request.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase();
  if (type !== 'application/json')
    refuse('unsupported_media_type', 'the body must be sent as content-type: application/json');
  const encoding = request.headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity')
    refuse('unsupported_media_type', 'a compressed body is not accepted');
  return readBytes(request, limitBytes, 'server.bodyBytes');
}

/** `setting`: what sets the limit. */
export async function readBytes(request: IncomingMessage, limitBytes: number, setting: string): Promise<Buffer> {
  const tooLarge = () => new ApiError('body_too_large', `the body is larger than ${limitBytes} bytes (${setting})`);
  if (Number(request.headers['content-length'] ?? 0) > limitBytes) throw tooLarge();
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > limitBytes) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

const decoder = new TextDecoder('utf-8', { fatal: true });

/** Deeper than any schema of a tool; what is deeper could be read and then not be written again. */
const mostLevels = 128;

export function parseJson(body: Buffer): unknown {
  const value = readJson(body);
  if (isDeeper(value, mostLevels))
    refuse('invalid_json', `the body is nested too deeply: more than ${mostLevels} levels`);
  return value;
}

function readJson(body: Buffer): unknown {
  try {
    return JSON.parse(decoder.decode(body));
  } catch {
    return refuse('invalid_json', 'the body is not valid JSON in UTF-8');
  }
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((each) => isDeeper(each, levels - 1));
}

/** Calls back when the client has gone before its answer was complete, or is gone already. */
export function onDisconnect(response: ServerResponse, gone: () => void): void {
  if (response.destroyed && !response.writableFinished) return gone();
  response.on('close', () => {
    if (!response.writableFinished) gone();
  });
}
