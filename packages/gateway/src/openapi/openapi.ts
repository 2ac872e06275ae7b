// The OpenAPI document of this server, made from its routes and their schemas.

import assert from 'node:assert/strict';
import { version } from '@coppice/core/config';
import { z } from 'zod';
import { type ApiErrorCode, errorKinds } from '../http/api-error.ts';
import { errorJson } from '../wire/search-json.ts';
import recorded from './examples.json' with { type: 'json' };
import { summaries, tags } from './summaries.ts';

export interface Endpoint {
  readonly body?: z.ZodType;
  readonly form?: z.ZodType;
  readonly query?: z.ZodObject;
  /** The schema of a JSON answer, or the media type of any other. */
  readonly answer: z.ZodType | 'text/event-stream' | 'text/plain' | 'application/octet-stream';
  readonly streams?: true;
  readonly headers?: Readonly<Record<string, z.ZodType>>;
  readonly open?: true;
}

/** Recorded from `coppice serve` with the shipped models and seed 1; lists are cut to one. A test checks them against the schemas. */
const examples: Readonly<Record<string, { readonly request?: unknown; readonly answer: unknown }>> = recorded;

const openAiError = z.object({
  error: errorJson.extend({ code: z.enum(Object.keys(errorKinds) as ApiErrorCode[]) }),
});
const errors = { error: openAiError, messages_error: openAiError.extend({ type: z.literal('error') }) };

export function openApi(endpoints: Readonly<Record<string, Endpoint>>) {
  const paths: Record<string, Record<string, object>> = {};
  const schemas: Record<string, object> = {};
  for (const [name, endpoint] of Object.entries(endpoints)) {
    const [method = '', path = ''] = name.split(' ');
    paths[path] = { ...paths[path], [method.toLowerCase()]: operation(method, path, endpoint) };
    if (endpoint.body !== undefined) schemas[nameOf(path)] = jsonOf(endpoint.body);
  }
  for (const [name, schema] of Object.entries(errors)) schemas[name] = jsonOf(schema);
  return {
    openapi: '3.1.0',
    info: {
      title: 'coppice',
      version,
      description: 'LLM reasoning served as tree search. docs/http-api.md says what the fields mean.',
    },
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    paths,
    components: { securitySchemes: { key: { type: 'http', scheme: 'bearer' } }, schemas },
  };
}

/** JSON drops undefined members. */
function operation(method: string, path: string, endpoint: Endpoint): object {
  const name = `${method} ${path}`;
  const parameters = [...pathParameters(path), ...queryParameters(endpoint.query)];
  const [tag, group] = Object.entries(summaries).find(([, each]) => name in each) ?? [];
  assert(group !== undefined, `${name} has no summary in openapi/summaries.ts`);
  return {
    summary: group[name],
    tags: [tag],
    operationId: `${method.toLowerCase()}${path.replace(/[^a-z0-9]+/gi, '_')}`,
    parameters: parameters.length === 0 ? undefined : parameters,
    requestBody: requestBody(name, path, endpoint),
    security: endpoint.open ? undefined : [{}, { key: [] }],
    responses: responsesOf(name, path, endpoint),
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

function requestBody(name: string, path: string, { body, form }: Endpoint): object | undefined {
  if (form !== undefined) return { required: true, content: { 'multipart/form-data': { schema: jsonOf(form) } } };
  if (body === undefined) return undefined;
  return {
    required: true,
    content: { 'application/json': { schema: referenceTo(nameOf(path)), example: examples[name]?.request } },
  };
}

function responsesOf(name: string, path: string, endpoint: Endpoint): object {
  const told: keyof typeof errors = path.startsWith('/v1/messages') ? 'messages_error' : 'error';
  const content = contentOf(name, endpoint);
  return {
    '2XX': { description: 'as docs/http-api.md says', headers: headersOf(endpoint), content },
    '503': path === '/ready' ? { description: 'not ready', content } : undefined,
    default: {
      description: 'a refusal or a failure',
      content: { 'application/json': { schema: referenceTo(told) } },
    },
  };
}

function headersOf({ headers }: Endpoint): object | undefined {
  if (headers === undefined) return undefined;
  return Object.fromEntries(Object.entries(headers).map(([name, schema]) => [name, { schema: jsonOf(schema) }]));
}

function contentOf(name: string, { answer, streams }: Endpoint): object {
  if (typeof answer === 'string') return { [answer]: { schema: { type: 'string' } } };
  const json = { schema: jsonOf(answer, 'output'), example: examples[name]?.answer };
  return { 'application/json': json, 'text/event-stream': streams && {} };
}

/** `/v1/messages/count_tokens` is `messages_count_tokens`. */
function nameOf(path: string): string {
  return path
    .replace(/^\/v1\//, '')
    .replaceAll('/', '_')
    .replace(/[{}]/g, '');
}

function referenceTo(name: string): object {
  return { $ref: `#/components/schemas/${name}` };
}

function jsonOf(schema: z.ZodType, io: 'input' | 'output' = 'input'): object {
  const { $schema: _, ...json } = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
  return json;
}
