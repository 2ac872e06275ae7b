// Table of all routes besides the page: handler, and schemas of body, query and answer. The server and /openapi.json are made of the same
// rows.

import { z } from 'zod';
import type { GatewayContext } from './api/context.ts';
import { create } from './api/create.ts';
import { changeWeights, listExamples, listModels, readModel, weightsSchema } from './api/models-api.ts';
import { historyQuery, type OverviewApi, readHistory, readUsage } from './api/overview-api.ts';
import { passOnly } from './api/passthrough.ts';
import { cancelResponse, readResponse, removeResponse, responseQuery } from './api/responses-api.ts';
import {
  cancelSearch,
  createSearch,
  eventsQuery,
  listSearches,
  readSearch,
  searchEvents,
  searchesQuery,
} from './api/searches-api.ts';
import type { BatchRunner } from './batches/batch-runner.ts';
import { batchSchema, cancelBatch, createBatch, listBatches, readBatch } from './batches/batches-api.ts';
import {
  createFile,
  filesQuery,
  listFiles,
  readContent,
  readFile,
  removeFile,
  uploadForm,
} from './batches/files-api.ts';
import { listQuery } from './batches/listing.ts';
import { chatDialect } from './dialects/chat/chat-dialect.ts';
import { chatSchema, searchSchema } from './dialects/chat-body.ts';
import { countTokens } from './dialects/messages/count-tokens.ts';
import { countSchema, messageSchema } from './dialects/messages/message-body.ts';
import { messagesDialect } from './dialects/messages/messages-dialect.ts';
import { responseSchema } from './dialects/responses/response-body.ts';
import { responsesDialect } from './dialects/responses/responses-dialect.ts';
import { ApiError } from './http/api-error.ts';
import { type Exchange, writeJson } from './http/exchange.ts';
import type { Route } from './http/router.ts';
import type { History } from './observe/overview/history.ts';
import { type Endpoint, openApi } from './openapi/openapi.ts';
import { batchJson, fileJson } from './wire/document-json.ts';
import { historyJson } from './wire/history-json.ts';
import { overviewJson } from './wire/overview-json.ts';
import { deleted, flag, list, pages } from './wire/parts.ts';
import { answerHeaders, completionJson, countJson, messageJson, responseJson } from './wire/reply-json.ts';
import { searchJson, wholeSearchJson } from './wire/search-json.ts';
import { exampleJson, healthJson, modelJson, readyJson, usageJson } from './wire/server-json.ts';

interface RoutedContext extends GatewayContext {
  readonly batches: BatchRunner;
  readonly feed: OverviewApi;
  readonly history: History;
  isStopping(): boolean;
}

interface RouteRow extends Endpoint {
  handle(context: RoutedContext, exchange: Exchange): void | Promise<void>;
}

/** Bodies and answers of an engine's own endpoint, for which there is no schema. */
const engineObject = z.record(z.string(), z.unknown());
const engine = { body: engineObject, answer: engineObject };

const searched = { streams: true, headers: answerHeaders } as const;

/** Keyed by method and path; `{name}` stands for one segment. */
export const rows: Readonly<Record<string, RouteRow>> = {
  'GET /openapi.json': {
    handle: (_, { response }) => writeJson(response, 200, document),
    answer: engineObject,
    open: true,
  },
  'POST /v1/chat/completions': { handle: create(chatDialect), body: chatSchema, answer: completionJson, ...searched },
  'POST /v1/responses': { handle: create(responsesDialect), body: responseSchema, answer: responseJson, ...searched },
  'POST /v1/messages': { handle: create(messagesDialect), body: messageSchema, answer: messageJson, ...searched },
  'POST /v1/completions': { handle: passOnly('/v1/completions'), ...engine },
  'POST /v1/embeddings': { handle: passOnly('/v1/embeddings'), ...engine },
  'POST /v1/messages/count_tokens': { handle: countTokens, body: countSchema, answer: countJson },
  'GET /v1/responses/{id}': { handle: readResponse, query: responseQuery, answer: responseJson, streams: true },
  'DELETE /v1/responses/{id}': { handle: removeResponse, answer: deleted('response') },
  'POST /v1/responses/{id}/cancel': { handle: cancelResponse, answer: responseJson },
  'POST /v1/files': { handle: createFile, form: uploadForm, answer: fileJson },
  'GET /v1/files': { handle: listFiles, query: filesQuery, answer: list(fileJson, pages) },
  'GET /v1/files/{id}': { handle: readFile, answer: fileJson },
  'DELETE /v1/files/{id}': { handle: removeFile, answer: deleted('file') },
  'GET /v1/files/{id}/content': { handle: readContent, answer: 'application/octet-stream' },
  'POST /v1/batches': { handle: createBatch, body: batchSchema, answer: batchJson },
  'GET /v1/batches': { handle: listBatches, query: listQuery, answer: list(batchJson, pages) },
  'GET /v1/batches/{id}': { handle: readBatch, answer: batchJson },
  'POST /v1/batches/{id}/cancel': { handle: cancelBatch, answer: batchJson },
  'GET /v1/models': { handle: listModels, answer: list(modelJson) },
  'GET /v1/models/{name}': { handle: readModel, answer: modelJson },
  'POST /v1/models/{name}/weights': { handle: changeWeights, body: weightsSchema, answer: modelJson },
  'POST /v1/searches': { handle: createSearch, body: searchSchema, answer: wholeSearchJson },
  'GET /v1/searches': { handle: listSearches, query: searchesQuery, answer: list(searchJson, { has_more: flag }) },
  'GET /v1/searches/{id}': { handle: readSearch, answer: wholeSearchJson },
  'DELETE /v1/searches/{id}': { handle: cancelSearch, answer: wholeSearchJson },
  'POST /v1/searches/{id}/cancel': { handle: cancelSearch, answer: wholeSearchJson },
  'GET /v1/searches/{id}/events': { handle: searchEvents, query: eventsQuery, answer: 'text/event-stream' },
  'GET /v1/overview': { handle: ({ feed }, exchange) => feed.read(exchange), answer: overviewJson },
  'GET /v1/overview/events': { handle: ({ feed }, exchange) => feed.follow(exchange), answer: 'text/event-stream' },
  'GET /v1/history': { handle: readHistory, query: historyQuery, answer: historyJson },
  'GET /v1/usage': { handle: readUsage, answer: usageJson },
  'GET /v1/examples': { handle: listExamples, answer: list(exampleJson) },
  'GET /metrics': { handle: writeMetrics, answer: 'text/plain' },
  'GET /health': {
    handle: (_, { response }) => writeJson(response, 200, { status: 'ok' }),
    answer: healthJson,
    open: true,
  },
  'GET /ready': { handle: writeReady, answer: readyJson, open: true },
};

const document = openApi(rows);

export function routesOf(context: RoutedContext): Route[] {
  return Object.entries(rows).map(([name, { handle, answer, streams, open }]) => {
    const [method = '', path = ''] = name.split(' ');
    return {
      method,
      path,
      open: open === true,
      isEndless: answer === 'text/event-stream' || streams === true,
      handle: (exchange) => handle(context, exchange),
    };
  });
}

/** Only an operator may read metrics of other keys. */
async function writeMetrics({ metrics, config }: RoutedContext, { response, caller }: Exchange): Promise<void> {
  if (config.telemetry.keyLabels && !caller.admin)
    throw new ApiError('forbidden_key', 'metrics by key (telemetry.keyLabels) need a key with "admin": true');
  const text = await metrics.text();
  response.writeHead(200, { 'content-type': metrics.registry.contentType, 'cache-control': 'no-store' });
  response.end(text);
}

function writeReady({ searches, journal, isStopping }: RoutedContext, { response }: Exchange): void {
  const models = [...searches.models.values()].map(({ name, healthy }) => ({ name, healthy }));
  const written = { healthy: journal.trouble === undefined };
  const ready = !isStopping() && written.healthy && models.some(({ healthy }) => healthy);
  writeJson(response, ready ? 200 : 503, { ready, models, journal: written });
}
