// Which handler answers which path: all that the server serves besides the page. The document of the API is made of the same list.

import type { ServerResponse } from 'node:http';
import type { BatchRunner } from './api/batches/batch-runner.ts';
import { BatchesApi } from './api/batches/batches-api.ts';
import { createFile, listFiles, readContent, readFile, removeFile } from './api/batches/files-api.ts';
import type { GatewayContext } from './api/context.ts';
import { countTokens } from './api/count-tokens.ts';
import { create } from './api/create.ts';
import { dialects } from './api/dialects.ts';
import { HistoryApi } from './api/history-api.ts';
import { changeWeights, listExamples, listModels, readModel } from './api/models-api.ts';
import { type OverviewApi, readUsage } from './api/overview-api.ts';
import { passOnly } from './api/passthrough.ts';
import { ResponsesApi } from './api/responses-api.ts';
import { searchEvents } from './api/search-events.ts';
import { cancelSearch, createSearch, listSearches, readSearch } from './api/searches-api.ts';
import { ApiError } from './http/api-error.ts';
import { type Exchange, writeJson } from './http/exchange.ts';
import type { Route } from './http/router.ts';
import { openApi } from './openapi/openapi.ts';

interface RoutedParts {
  readonly context: GatewayContext;
  readonly batches: BatchRunner;
  readonly feed: OverviewApi;
  readonly isStopping: () => boolean;
}

export function routesOf({ context, batches: runner, feed, isStopping }: RoutedParts): Route[] {
  const responses = new ResponsesApi(context);
  const batches = new BatchesApi(context, runner);
  const history = new HistoryApi(context);
  const routes: Route[] = [
    { method: 'GET', path: '/openapi.json', open: true, handle: ({ response }) => writeJson(response, 200, document) },
    ...dialects.map(
      (dialect): Route => ({
        method: 'POST',
        path: dialect.path,
        handle: (exchange) => create(context, dialect, exchange),
      }),
    ),
    { method: 'POST', path: '/v1/completions', handle: (exchange) => passOnly(context, exchange, '/v1/completions') },
    { method: 'POST', path: '/v1/embeddings', handle: (exchange) => passOnly(context, exchange, '/v1/embeddings') },
    { method: 'POST', path: '/v1/messages/count_tokens', handle: (exchange) => countTokens(context, exchange) },
    { method: 'GET', path: '/v1/responses/{id}', stream: true, handle: (exchange) => responses.read(exchange) },
    { method: 'DELETE', path: '/v1/responses/{id}', handle: (exchange) => responses.remove(exchange) },
    { method: 'POST', path: '/v1/responses/{id}/cancel', handle: (exchange) => responses.cancel(exchange) },
    { method: 'GET', path: '/v1/responses/{id}/input_items', handle: (exchange) => responses.inputItems(exchange) },
    { method: 'POST', path: '/v1/files', handle: (exchange) => createFile(context, exchange) },
    { method: 'GET', path: '/v1/files', handle: (exchange) => listFiles(context, exchange) },
    { method: 'GET', path: '/v1/files/{id}', handle: (exchange) => readFile(context, exchange) },
    { method: 'DELETE', path: '/v1/files/{id}', handle: (exchange) => removeFile(context, exchange) },
    { method: 'GET', path: '/v1/files/{id}/content', handle: (exchange) => readContent(context, exchange) },
    { method: 'POST', path: '/v1/batches', handle: (exchange) => batches.create(exchange) },
    { method: 'GET', path: '/v1/batches', handle: (exchange) => batches.list(exchange) },
    { method: 'GET', path: '/v1/batches/{id}', handle: (exchange) => batches.read(exchange) },
    { method: 'POST', path: '/v1/batches/{id}/cancel', handle: (exchange) => batches.cancel(exchange) },
    { method: 'GET', path: '/v1/models', handle: (exchange) => listModels(context, exchange) },
    { method: 'GET', path: '/v1/models/{name}', handle: (exchange) => readModel(context, exchange) },
    { method: 'POST', path: '/v1/models/{name}/weights', handle: (exchange) => changeWeights(context, exchange) },
    { method: 'POST', path: '/v1/searches', handle: (exchange) => createSearch(context, exchange) },
    { method: 'GET', path: '/v1/searches', handle: (exchange) => listSearches(context, exchange) },
    { method: 'GET', path: '/v1/searches/{id}', handle: (exchange) => readSearch(context, exchange) },
    { method: 'DELETE', path: '/v1/searches/{id}', handle: (exchange) => cancelSearch(context, exchange) },
    { method: 'POST', path: '/v1/searches/{id}/cancel', handle: (exchange) => cancelSearch(context, exchange) },
    {
      method: 'GET',
      path: '/v1/searches/{id}/events',
      stream: true,
      handle: (exchange) => searchEvents(context, exchange),
    },
    { method: 'GET', path: '/v1/overview', handle: (exchange) => feed.read(exchange) },
    { method: 'GET', path: '/v1/overview/events', stream: true, handle: (exchange) => feed.follow(exchange) },
    { method: 'GET', path: '/v1/history', handle: (exchange) => history.read(exchange) },
    { method: 'GET', path: '/v1/usage', handle: (exchange) => readUsage(context, exchange) },
    { method: 'GET', path: '/v1/examples', handle: (exchange) => listExamples(context, exchange) },
    { method: 'GET', path: '/metrics', handle: (exchange) => writeMetrics(context, exchange) },
    {
      method: 'GET',
      path: '/health',
      open: true,
      handle: ({ response }) => writeJson(response, 200, { status: 'ok' }),
    },
    {
      method: 'GET',
      path: '/ready',
      open: true,
      handle: ({ response }) => writeReady(context, response, isStopping()),
    },
  ];
  const document = openApi(routes);
  return routes;
}

/** Those of other keys are the operator's to read. */
async function writeMetrics({ metrics, config }: GatewayContext, { response, caller }: Exchange): Promise<void> {
  if (config.telemetry.keyLabels && !caller.admin)
    throw new ApiError('forbidden_key', 'metrics by key (telemetry.keyLabels) need a key with "admin": true');
  const text = await metrics.text();
  response.writeHead(200, { 'content-type': metrics.registry.contentType, 'cache-control': 'no-store' });
  response.end(text);
}

function writeReady({ searches, journal }: GatewayContext, response: ServerResponse, isStopping: boolean): void {
  const models = [...searches.models.values()].map(({ name, healthy }) => ({ name, healthy }));
  const written = { healthy: journal.trouble === undefined };
  const ready = !isStopping && written.healthy && models.some(({ healthy }) => healthy);
  writeJson(response, ready ? 200 : 503, { ready, models, journal: written });
}
