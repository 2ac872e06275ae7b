// Handles one HTTP request and its answer: reads a body of JSON, writes JSON and errors, always with the same headers.

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Plain } from '@coppice/core/journal';
import { excessIn } from '@coppice/core/remote';
import { ApiError, refuse } from './api-error.ts';
import type { BodyRoom } from './body-room.ts';
import type { Caller } from './keys.ts';

export interface Exchange {
  readonly id: string;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly caller: Caller;
  readonly parameters: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  search?: string;
}

/** Answers are data, not documents: never sniffed, framed or cached. */
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

export function writeError(
  response: ServerResponse,
  error: ApiError,
  told: object,
  headers: Readonly<Record<string, string>> = {},
): void {
  const { allow, retryAfterSeconds } = error.options;
  writeJson(response, error.status, told, {
    ...(retryAfterSeconds !== undefined && { 'retry-after': String(retryAfterSeconds) }),
    ...(allow !== undefined && { allow }),
    ...(error.status === 401 && { 'www-authenticate': 'Bearer' }),
    ...headers,
  });
}

export interface BodyReading {
  readonly bodies: BodyRoom;
  readonly limits: { readonly bodyBytes: number };
}

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

/** Deeper than any tool's schema; a deeper value could be parsed and not be serialized. */
const mostLevels = 128;
/** A thousand messages with a hundred tools have fewer. Each part costs some microseconds per read. */
const mostParts = 50_000;
const mostNamed = 200;

/** The value can be stored and sent on: not too deep, and all texts and keys are well-formed. */
export function parseJson(body: Buffer): unknown {
  const value = decoded(body);
  const flaw = findHalfCharacter(value);
  if (flaw === undefined) return value;
  const field = flaw.toReversed().join('.').slice(0, mostNamed).toWellFormed();
  const where = field === '' ? 'the body' : `'${field}'`;
  const reason = `${where} holds half of a surrogate pair (\\ud800 to \\udfff alone), which is no character in UTF-8`;
  return refuse('invalid_value', reason, field === '' ? undefined : field);
}

function decoded(body: Buffer): unknown {
  try {
    const text = decoder.decode(body);
    const excess = excessIn(text, mostLevels, mostParts);
    if (excess === 'depth') refuse('invalid_json', `the body is nested too deeply: more than ${mostLevels} levels`);
    if (excess === 'parts')
      refuse('invalid_json', `the body has more than ${mostParts} fields, objects and lists, the limit`);
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof ApiError) throw error;
    return refuse('invalid_json', 'the body is not valid JSON in UTF-8');
  }
}

/** Path to the flaw, innermost name first. Allocates nothing on the way: bodies are large. */
function findHalfCharacter(value: unknown): readonly string[] | undefined {
  if (typeof value === 'string') return value.isWellFormed() ? undefined : [];
  if (typeof value !== 'object' || value === null) return undefined;
  for (const key in value) {
    const path = key.isWellFormed() ? findHalfCharacter((value as Plain)[key]) : [];
    if (path !== undefined) return [...path, key];
  }
  return undefined;
}

/** Calls back when the client leaves before its answer is complete, or has left already. */
export function onDisconnect(response: ServerResponse, gone: () => void): void {
  if (response.destroyed && !response.writableFinished) return gone();
  response.on('close', () => {
    if (!response.writableFinished) gone();
  });
}

export function goneOf(response: ServerResponse): AbortSignal {
  const gone = new AbortController();
  response.on('close', () => gone.abort());
  return gone.signal;
}

export async function roomIn(response: ServerResponse): Promise<void> {
  if (!response.writableNeedDrain) return;
  await new Promise<void>((resolve) => {
    const done = () => {
      response.off('drain', done);
      response.off('close', done);
      resolve();
    };
    response.on('drain', done);
    response.on('close', done);
  });
}
