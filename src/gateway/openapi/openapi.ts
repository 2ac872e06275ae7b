// The OpenAPI document of this server, made from the routes that it has, the schemas that it reads bodies and queries with, and
// those of its answers: what is in none of these is not in the document, and the other way round.

import { z } from 'zod';
import { version } from '../../config/version.ts';
import { batchSchema } from '../api/batches/batches-api.ts';
import { filesQuery } from '../api/batches/files-api.ts';
import { listQuery } from '../api/batches/listing.ts';
import { dialects } from '../api/dialects.ts';
import { itemsQuery, responseQuery } from '../api/responses-api.ts';
import { eventsQuery } from '../api/search-events.ts';
import { searchesQuery } from '../api/searches-api.ts';
import { searchSchema } from '../dialects/chat-body.ts';
import { countSchema } from '../dialects/messages/message-body.ts';
import { errorKinds } from '../http/api-error.ts';
import type { Route } from '../http/router.ts';
import { answers } from './answer-schemas.ts';

const bodies: Readonly<Record<string, z.ZodType>> = {
  ...Object.fromEntries(dialects.map(({ path, schema }) => [path, schema])),
  '/v1/searches': searchSchema,
  '/v1/batches': batchSchema,
  '/v1/messages/count_tokens': countSchema,
};

const queries: Readonly<Record<string, z.ZodObject>> = {
  'GET /v1/searches': searchesQuery,
  'GET /v1/searches/{id}/events': eventsQuery,
  'GET /v1/responses/{id}': responseQuery,
  'GET /v1/responses/{id}/input_items': itemsQuery,
  'GET /v1/files': filesQuery,
  'GET /v1/batches': listQuery,
};

/** Answers that are no JSON. */
const otherTypes: Readonly<Record<string, string>> = {
  'GET /v1/files/{id}/content': 'application/octet-stream',
  'GET /metrics': 'text/plain',
  'GET /v1/searches/{id}/events': 'text/event-stream',
  'GET /v1/overview/events': 'text/event-stream',
};

/** JSON, or events where the request asks for a stream. */
const streamed: readonly string[] = [...dialects.map(({ path }) => `POST ${path}`), 'GET /v1/responses/{id}'];

type Listed = Pick<Route, 'method' | 'path' | 'open'>;

export function openApi(routes: readonly Listed[]) {
  const paths: Record<string, Record<string, object>> = {};
  for (const route of routes)
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operation(route) };
  return {
    openapi: '3.1.0',
    info: {
      title: 'coppice',
      version,
      description: 'LLM reasoning served as tree search. docs/http-api.md says what the fields mean.',
    },
    paths,
    components: {
      securitySchemes: { key: { type: 'http', scheme: 'bearer' } },
      schemas: Object.fromEntries([
        ...Object.entries(bodies).map(([path, schema]) => [nameOf(path), jsonOf(schema)]),
        ['error', errorSchema()],
        ['messages_error', errorSchema({ type: { type: 'string', enum: ['error'] } })],
      ]),
    },
  };
}

function operation({ method, path, open }: Listed): object {
  const name = `${method} ${path}`;
  const parameters = [...pathParameters(path), ...queryParameters(queries[name])];
  const takesBody = method === 'POST' && (path in bodies || path === '/v1/completions' || path === '/v1/embeddings');
  const schema = path in bodies ? { $ref: `#/components/schemas/${nameOf(path)}` } : { type: 'object' };
  return {
    operationId: `${method.toLowerCase()}${path.replace(/[^a-z0-9]+/gi, '_')}`,
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(method === 'POST' && path === '/v1/files' ? { requestBody: uploadBody } : {}),
    ...(takesBody ? { requestBody: { required: true, content: { 'application/json': { schema } } } } : {}),
    ...(open ? {} : { security: [{}, { key: [] }] }),
    responses: responsesOf(name, path),
  };
}

function pathParameters(path: string): object[] {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
  return names.map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } }));
}

function queryParameters(schema: z.ZodObject | undefined): object[] {
  return Object.entries(schema?.shape ?? {}).map(([name, field]) => {
    return { name, in: 'query', required: false, schema: jsonOf(field as z.ZodType) };
  });
}

function responsesOf(name: string, path: string): object {
  const told = path.startsWith('/v1/messages') ? 'messages_error' : 'error';
  const failure = { 'application/json': { schema: { $ref: `#/components/schemas/${told}` } } };
  const good = { description: 'as docs/http-api.md says', content: contentOf(name) };
  return {
    '2XX': good,
    ...(name === 'GET /ready' ? { '503': { ...good, description: 'not ready' } } : {}),
    default: { description: 'a refusal or a failure', content: failure },
  };
}

/** What an engine's own endpoint answers is any object. */
function contentOf(name: string): object {
  const other = otherTypes[name];
  if (other !== undefined) return { [other]: { schema: { type: 'string' } } };
  const schema = answers[name] === undefined ? { type: 'object' } : jsonOf(answers[name], 'output');
  const events = streamed.includes(name) ? { 'text/event-stream': {} } : {};
  return { 'application/json': { schema }, ...events };
}

const uploadBody = {
  required: true,
  content: {
    'multipart/form-data': {
      schema: {
        type: 'object',
        required: ['file', 'purpose'],
        properties: {
          file: { type: 'string', format: 'binary' },
          purpose: { type: 'string', enum: ['batch'] },
        },
      },
    },
  },
};

/** `/v1/messages/count_tokens` is `messages_count_tokens`. */
function nameOf(path: string): string {
  return path.replace(/^\/v1\//, '').replaceAll('/', '_');
}

function jsonOf(schema: z.ZodType, io: 'input' | 'output' = 'input'): object {
  const { $schema: _, ...json } = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
  return json;
}

/** `more`: fields beside the error. */
function errorSchema(more: Readonly<Record<string, object>> = {}): object {
  const code = { type: 'string', enum: Object.keys(errorKinds) };
  const properties = {
    message: { type: 'string' },
    type: { type: 'string' },
    param: { type: ['string', 'null'] },
    code,
  };
  return {
    type: 'object',
    required: ['error', ...Object.keys(more)],
    properties: { ...more, error: { type: 'object', required: ['message', 'type'], properties } },
  };
}
