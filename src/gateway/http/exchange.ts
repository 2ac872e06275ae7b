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
  readonly limits: { readonly bodyBytes: number };
}

/** The JSON of a body, checked as `parseJson` does. */
export async function readJson({ bodies, limits }: BodyReading, request: IncomingMessage): Promise<unknown> {
  const type = (request.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase();
  if (type !== 'application/json')
    refuse('unsupported_media_type', 'the body must be sent as content-type: application/json');
  const encoding = request.headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity')
    refuse('unsupported_media_type', 'a compressed body is not accepted');
  return parseJson(await bodies.read(request, limits.bodyBytes));
}

const decoder = new TextDecoder('utf-8', { fatal: true });

/** Deeper than any schema of a tool; what is deeper could be read and then not be written again. */
const mostLevels = 128;
/** Fields, objects and lists; more than a thousand messages and a hundred tools have. Each takes some microseconds wherever it is read. */
const mostParts = 50_000;
/** Characters of a field's name in a message. */
const mostNamed = 200;

/** What it gives can be kept and handed on: not too deep, and every text of it, keys included, is whole characters. */
export function parseJson(body: Buffer): unknown {
  checkShape(body);
  const value = decoded(body);
  const flaw = findHalfCharacter(value);
  if (flaw !== undefined) refuseHalfCharacter(flaw.toReversed().join('.').slice(0, mostNamed).toWellFormed());
  return value;
}

const [quote, backslash, colon] = [0x22, 0x5c, 0x3a];
const [openList, closeList, openObject, closeObject] = [0x5b, 0x5d, 0x7b, 0x7d];

/** Looks at the bytes alone: reading what is too deep, or of too many parts, takes a hundred times as long. */
function checkShape(body: Buffer): void {
  let levels = 0;
  let parts = 0;
  for (let at = 0; at < body.length; at += 1) {
    const byte = body[at];
    if (byte === quote) at = endOfText(body, at);
    else if (byte === closeList || byte === closeObject) levels -= 1;
    else if (byte === colon) parts += 1;
    else if (byte === openList || byte === openObject) {
      levels += 1;
      parts += 1;
    }
    if (levels > mostLevels) refuse('invalid_json', `the body is nested too deeply: more than ${mostLevels} levels`);
    if (parts > mostParts)
      refuse('invalid_json', `the body has more than ${mostParts} fields, objects and lists, the limit`);
  }
}

/** The place of the quote that ends it. */
function endOfText(body: Buffer, start: number): number {
  for (let at = start + 1; at < body.length; at += 1) {
    if (body[at] === quote) return at;
    if (body[at] === backslash) at += 1;
  }
  return body.length;
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

/** Names of the fields that lead there, the innermost first. Nothing is made on the way: bodies are large. */
function findHalfCharacter(value: unknown): readonly string[] | undefined {
  if (typeof value === 'string') return value.isWellFormed() ? undefined : [];
  if (typeof value !== 'object' || value === null) return undefined;
  return Array.isArray(value) ? halfInItems(value) : halfInFields(value as Plain);
}

function halfInItems(items: readonly unknown[]): readonly string[] | undefined {
  for (let at = 0; at < items.length; at += 1) {
    const path = findHalfCharacter(items[at]);
    if (path !== undefined) return [...path, String(at)];
  }
  return undefined;
}

function halfInFields(fields: Plain): readonly string[] | undefined {
  for (const key in fields) {
    const path = key.isWellFormed() ? findHalfCharacter(fields[key]) : [];
    if (path !== undefined) return [...path, key];
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
