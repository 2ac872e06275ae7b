// One HTTP request and its answer: reading a body of JSON, writing JSON and errors, always with the same headers.

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Plain } from '../../journal/plain.ts';
import { type ApiError, refuse } from './api-error.ts';
import type { BodyRoom } from './body-room.ts';
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

/** `told`: the error in the words of the client's API. */
export function writeError(
  response: ServerResponse,
  error: ApiError,
  told: object,
  headers: Readonly<Record<string, string>> = {},
): void {
  const retry = error.retryAfterSeconds === undefined ? {} : { 'retry-after': String(error.retryAfterSeconds) };
  const allow = error.allow === undefined ? {} : { allow: error.allow };
  const challenge = error.status === 401 ? { 'www-authenticate': 'Bearer' } : {};
  writeJson(response, error.status, told, { ...retry, ...allow, ...challenge, ...headers });
}

interface BodyReading {
  readonly bodies: BodyRoom;
  readonly config: { readonly server: { readonly bodyBytes: number } };
}

/** The JSON of a body, checked as `parseJson` does. */
export async function readJson({ bodies, config }: BodyReading, request: IncomingMessage): Promise<unknown> {
  const type = (request.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase();
  if (type !== 'application/json')
    refuse('unsupported_media_type', 'the body must be sent as content-type: application/json');
  const encoding = request.headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity')
    refuse('unsupported_media_type', 'a compressed body is not accepted');
  return parseJson(await bodies.read(request, config.server.bodyBytes, 'server.bodyBytes'));
}

const decoder = new TextDecoder('utf-8', { fatal: true });

/** Deeper than any schema of a tool; what is deeper could be read and then not be written again. */
const mostLevels = 128;
/** Characters of a field's name in a message. */
const mostNamed = 200;

/** What it gives can be kept and handed on: not too deep, and every text of it, keys included, is whole characters. */
export function parseJson(body: Buffer): unknown {
  const value = decoded(body);
  const flaw = findFlaw(value, mostLevels);
  if (flaw?.what === 'depth') refuse('invalid_json', `the body is nested too deeply: more than ${mostLevels} levels`);
  if (flaw?.what === 'text') refuseHalfCharacter(flaw.path.toReversed().join('.').slice(0, mostNamed).toWellFormed());
  return value;
}

function refuseHalfCharacter(field: string): never {
  const where = field === '' ? 'the body' : `'${field}'`;
  const reason = `${where} holds half of a surrogate pair (\\ud800 to \\udfff alone), which is no character in UTF-8`;
  return refuse('invalid_value', reason, field === '' ? undefined : field);
}

function decoded(body: Buffer): unknown {
  try {
    return JSON.parse(decoder.decode(body));
  } catch {
    return refuse('invalid_json', 'the body is not valid JSON in UTF-8');
  }
}

interface Flaw {
  readonly what: 'depth' | 'text';
  /** Names of the fields that lead there, the innermost first. */
  readonly path: readonly string[];
}

/** One walk for both, and nothing made on the way: bodies are large. */
function findFlaw(value: unknown, levels: number): Flaw | undefined {
  if (typeof value === 'string') return value.isWellFormed() ? undefined : { what: 'text', path: [] };
  if (typeof value !== 'object' || value === null) return undefined;
  if (levels === 0) return { what: 'depth', path: [] };
  return Array.isArray(value) ? flawOfItems(value, levels - 1) : flawOfFields(value as Plain, levels - 1);
}

function flawOfItems(items: readonly unknown[], levels: number): Flaw | undefined {
  for (let at = 0; at < items.length; at += 1) {
    const flaw = findFlaw(items[at], levels);
    if (flaw !== undefined) return { ...flaw, path: [...flaw.path, String(at)] };
  }
  return undefined;
}

function flawOfFields(fields: Plain, levels: number): Flaw | undefined {
  for (const key in fields) {
    const flaw: Flaw | undefined = key.isWellFormed() ? findFlaw(fields[key], levels) : { what: 'text', path: [] };
    if (flaw !== undefined) return { ...flaw, path: [...flaw.path, key] };
  }
  return undefined;
}

/** Calls back when the client has gone before its answer was complete, or is gone already. */
export function onDisconnect(response: ServerResponse, gone: () => void): void {
  if (response.destroyed && !response.writableFinished) return gone();
  response.on('close', () => {
    if (!response.writableFinished) gone();
  });
}

/** Aborted when the connection of this answer is closed, complete or not. */
export function goneOf(response: ServerResponse): AbortSignal {
  const gone = new AbortController();
  response.on('close', () => gone.abort());
  return gone.signal;
}
