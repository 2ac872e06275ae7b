// What each endpoint reads and writes, by method and path: the schemas of its body, its query and its answer. The document is made of
// this table and the routes; a route that is not in it does not start.

import { z } from 'zod';
import { batchSchema } from '../api/batches/batches-api.ts';
import { filesQuery, uploadForm } from '../api/batches/files-api.ts';
import { listQuery } from '../api/batches/listing.ts';
import { historyQuery } from '../api/history-api.ts';
import { weightsSchema } from '../api/models-api.ts';
import { itemsQuery, responseQuery } from '../api/responses-api.ts';
import { eventsQuery } from '../api/search-events.ts';
import { searchesQuery } from '../api/searches-api.ts';
import { chatDialect } from '../dialects/chat/chat-dialect.ts';
import { searchSchema } from '../dialects/chat-body.ts';
import { countSchema } from '../dialects/messages/message-body.ts';
import { messagesDialect } from '../dialects/messages/messages-dialect.ts';
import { responsesDialect } from '../dialects/responses/responses-dialect.ts';
import { batchJson, fileJson } from '../wire/document-json.ts';
import { answerHeaders } from '../wire/header-json.ts';
import { historyJson } from '../wire/history-json.ts';
import { overviewJson } from '../wire/overview-json.ts';
import { deleted, flag, list, pages } from '../wire/parts.ts';
import { completionJson, countJson, inputItemJson, messageJson, responseJson } from '../wire/reply-json.ts';
import { searchJson, wholeSearchJson } from '../wire/search-json.ts';
import { exampleJson, healthJson, modelJson, readyJson } from '../wire/server-json.ts';
import { usageJson } from '../wire/usage-json.ts';

export interface Endpoint {
  readonly body?: z.ZodType;
  /** A body that is a form. */
  readonly form?: z.ZodType;
  readonly query?: z.ZodObject;
  /** Of a JSON answer, or the media type of any other. */
  readonly answer: z.ZodType | 'text/event-stream' | 'text/plain' | 'application/octet-stream';
  /** The answer is a stream of events where the request asks for one. */
  readonly streams?: true;
  readonly headers?: Readonly<Record<string, z.ZodType>>;
}

/** What an engine's own endpoint reads and answers stands in no schema of ours. */
const engineObject = z.record(z.string(), z.unknown());

/** An answer by search, whole or as a stream. */
const searched = { streams: true, headers: answerHeaders } as const;

export const endpoints: Readonly<Record<string, Endpoint>> = {
  'GET /openapi.json': { answer: engineObject },
  'POST /v1/chat/completions': { body: chatDialect.schema, answer: completionJson, ...searched },
  'POST /v1/messages': { body: messagesDialect.schema, answer: messageJson, ...searched },
  'POST /v1/messages/count_tokens': { body: countSchema, answer: countJson },
  'POST /v1/responses': { body: responsesDialect.schema, answer: responseJson, ...searched },
  'GET /v1/responses/{id}': { query: responseQuery, answer: responseJson, streams: true },
  'POST /v1/responses/{id}/cancel': { answer: responseJson },
  'DELETE /v1/responses/{id}': { answer: deleted('response') },
  'GET /v1/responses/{id}/input_items': { query: itemsQuery, answer: list(inputItemJson, pages) },
  'POST /v1/completions': { body: engineObject, answer: engineObject },
  'POST /v1/embeddings': { body: engineObject, answer: engineObject },
  'POST /v1/files': { form: uploadForm, answer: fileJson },
  'GET /v1/files': { query: filesQuery, answer: list(fileJson, pages) },
  'GET /v1/files/{id}': { answer: fileJson },
  'GET /v1/files/{id}/content': { answer: 'application/octet-stream' },
  'DELETE /v1/files/{id}': { answer: deleted('file') },
  'POST /v1/batches': { body: batchSchema, answer: batchJson },
  'GET /v1/batches': { query: listQuery, answer: list(batchJson, pages) },
  'GET /v1/batches/{id}': { answer: batchJson },
  'POST /v1/batches/{id}/cancel': { answer: batchJson },
  'GET /v1/models': { answer: list(modelJson) },
  'GET /v1/models/{name}': { answer: modelJson },
  'POST /v1/models/{name}/weights': { body: weightsSchema, answer: modelJson },
  'GET /v1/examples': { answer: list(exampleJson) },
  'POST /v1/searches': { body: searchSchema, answer: wholeSearchJson },
  'GET /v1/searches': { query: searchesQuery, answer: list(searchJson, { has_more: flag }) },
  'GET /v1/searches/{id}': { answer: wholeSearchJson },
  'DELETE /v1/searches/{id}': { answer: wholeSearchJson },
  'POST /v1/searches/{id}/cancel': { answer: wholeSearchJson },
  'GET /v1/searches/{id}/events': { query: eventsQuery, answer: 'text/event-stream' },
  'GET /v1/overview': { answer: overviewJson },
  'GET /v1/overview/events': { answer: 'text/event-stream' },
  'GET /v1/history': { query: historyQuery, answer: historyJson },
  'GET /v1/usage': { answer: usageJson },
  'GET /metrics': { answer: 'text/plain' },
  'GET /health': { answer: healthJson },
  'GET /ready': { answer: readyJson },
};
