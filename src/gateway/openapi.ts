// The OpenAPI document of this server, made from the routes that it has and the schemas that it reads bodies with: what is
// not in one of the two is not in the document, and the other way round.

import { z } from 'zod';
import { version } from '../config/version.ts';
import { batchSchema } from './api/batches/batches-api.ts';
import { countSchema, messageSchema } from './api/messages/message-body.ts';
import { responseSchema } from './api/responses/response-body.ts';
import { errorKinds } from './http/api-error.ts';
import type { Route } from './http/router.ts';
import { chatSchema, searchSchema } from './plan/chat-body.ts';

const bodies: Readonly<Record<string, z.ZodType>> = {
  '/v1/chat/completions': chatSchema,
  '/v1/searches': searchSchema,
  '/v1/responses': responseSchema,
  '/v1/batches': batchSchema,
  '/v1/messages': messageSchema,
  '/v1/messages/count_tokens': countSchema,
};

type Listed = Pick<Route, 'method' | 'path' | 'open' | 'stream'>;

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
      ]),
    },
  };
}

function operation({ method, path, open, stream }: Listed): object {
  const parameters = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
  const takesBody = method === 'POST' && (path in bodies || path === '/v1/completions' || path === '/v1/embeddings');
  const schema = path in bodies ? { $ref: `#/components/schemas/${nameOf(path)}` } : { type: 'object' };
  return {
    operationId: `${method.toLowerCase()}${path.replace(/[^a-z0-9]+/gi, '_')}`,
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(method === 'POST' && path === '/v1/files' ? { requestBody: uploadBody } : {}),
    ...(takesBody ? { requestBody: { required: true, content: { 'application/json': { schema } } } } : {}),
    ...(open ? {} : { security: [{}, { key: [] }] }),
    responses: {
      '2XX': { description: stream ? 'JSON, or server-sent events' : 'as docs/http-api.md says' },
      default: {
        description: 'a refusal or a failure',
        content: { 'application/json': { schema: { $ref: '#/components/schemas/error' } } },
      },
    },
  };
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

function jsonOf(schema: z.ZodType): object {
  const { $schema: _, ...json } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return json;
}

function errorSchema(): object {
  const code = { type: 'string', enum: Object.keys(errorKinds) };
  const properties = {
    message: { type: 'string' },
    type: { type: 'string' },
    param: { type: ['string', 'null'] },
    code,
  };
  return {
    type: 'object',
    required: ['error'],
    properties: { error: { type: 'object', required: ['message', 'type'], properties } },
  };
}
