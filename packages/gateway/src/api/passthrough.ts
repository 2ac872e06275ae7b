// Sends requests that cannot be searched to the remote engine's endpoint of the same name: the body without `coppice` and with the engine's
// model name, the answer byte for byte. Each takes one strand and waits for it like a search. Addresses come from the configuration alone.

import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { FaultError } from '@coppice/core/base';
import type { Upstream } from '@coppice/core/config';
import { inPreference } from '@coppice/core/engine';
import type { Plain } from '@coppice/core/journal';
import { tooMuch } from '@coppice/core/remote';
import type { Session } from '@coppice/core/runtime';
import { unfolded } from '../dialects/fields.ts';
import { record } from '../dialects/unchecked.ts';
import { ApiError, refuseField } from '../http/api-error.ts';
import { baseHeaders, type Exchange, goneOf, readJson, roomIn } from '../http/exchange.ts';
import { type ServedModel, servedModel } from '../models/served-model.ts';
import { searchHeader, verdictHeader } from '../wire/reply-json.ts';
import type { GatewayContext } from './context.ts';
import type { PassedReader } from './passed-answer.ts';
import { PassedExchange } from './passed-search.ts';
import { sessionOf } from './sessions.ts';

export interface PassedModel {
  readonly served: ServedModel;
  readonly upstream: Upstream;
}

export function passable(served: ServedModel): PassedModel | undefined {
  const { upstream, config } = served;
  return upstream === undefined || config.tools === 'forbid' ? undefined : { served, upstream };
}

const kept = ['content-type', 'retry-after'] as const;

export async function passThrough(
  context: GatewayContext,
  exchange: Exchange,
  { served, upstream }: PassedModel,
  body: Plain,
  path: string,
): Promise<void> {
  const { caller, request, response } = exchange;
  const session = await sessionOf(context, caller, body, request.headers);
  if (session?.moneyBudget !== undefined && served.config.price === undefined) {
    const why = `needs a price, and none is configured for '${served.name}' (models[].price)`;
    refuseField('unsupported_parameter', 'coppice.session.money_budget', why);
  }
  context.usage.request(caller.name);
  const release = context.streams.take();
  const gone = goneOf(response);
  const startMs = context.clock.nowMs();
  const passed = new PassedExchange(context, caller, served, body, session);
  exchange.search = passed.id;
  let leave: (() => void) | undefined;
  let status: number | undefined;
  try {
    leave = await context.searches.passThrough.enter(served.name, caller, gone, session);
    if (gone.aborted) return;
    passed.begin();
    const answer = await ask(serversFor(upstream, session), path, forwarded(body, served, upstream, session), gone);
    status = answer.status;
    response.writeHead(status, headersOf(answer, passed.id));
    await copy(answer, response, passed.reader(answer.headers.get('content-type')), mostBytes(body));
    passed.status = status;
  } catch (error) {
    if (gone.aborted) return;
    if (error instanceof ApiError || (response.headersSent && !(error instanceof FaultError))) throw error;
    context.log.warn('passthrough', { error: error instanceof Error ? error.message : String(error) });
    // An answer that has begun can only be cut off.
    if (response.headersSent) return void response.destroy();
    throw new ApiError('engine_failed', 'the engine behind this model could not be reached');
  } finally {
    if (leave !== undefined) context.metrics.passedThrough(served.name, status, context.clock.nowMs() - startMs);
    if (gone.aborted && passed.status === 'none') passed.status = 'gone';
    passed.end();
    leave?.();
    release();
  }
}

function headersOf(answer: Response, id: string): OutgoingHttpHeaders {
  const own = kept.map((name) => [name, answer.headers.get(name)]).filter(([, value]) => value !== null);
  return {
    ...baseHeaders,
    'cache-control': 'no-store',
    'x-coppice': 'passed-through',
    [searchHeader]: id,
    ...(answer.ok ? { [verdictHeader]: 'unsure' } : {}),
    ...Object.fromEntries(own),
  };
}

function forwarded(body: Plain, { engine }: ServedModel, { model }: Upstream, session: Session | undefined): string {
  const { coppice: _, ...rest } = body;
  const isSalted = session?.salt !== undefined && engine.capabilities.passes?.includes('cache_salt');
  return JSON.stringify({ ...rest, model, ...(isSalted && { cache_salt: session.salt }) });
}

/** Puts the server of the session's last turn first. */
function serversFor(upstream: Upstream, session: Session | undefined): Upstream {
  const { urls, model, headers } = upstream;
  return session === undefined ? upstream : { urls: inPreference(session.route, urls, (url) => url), model, headers };
}

/** Tries the next server only if one cannot be reached: a request that has begun is never sent twice. */
async function ask({ urls, headers }: Upstream, path: string, body: string, signal: AbortSignal): Promise<Response> {
  const sent = { 'content-type': 'application/json', ...headers };
  let failure: unknown;
  for (const url of urls) {
    try {
      const to = `${url}${path.slice('/v1'.length)}`;
      return await fetch(to, { method: 'POST', headers: sent, body, signal, redirect: 'error' });
    } catch (error) {
      failure = error;
      if (signal.aborted || !isUnreached(error)) break;
    }
  }
  throw failure;
}

const unreached: readonly unknown[] = ['ECONNREFUSED', 'ENOTFOUND', 'EHOSTUNREACH', 'UND_ERR_CONNECT_TIMEOUT'];

function isUnreached(error: unknown): boolean {
  return error instanceof Error && unreached.includes((error.cause as { code?: unknown } | undefined)?.code);
}

const envelopeBytes = 16 * 1024 * 1024;
/** One token sent as its own event, with candidates. */
const bytesPerToken = 16_384;

/** Bytes per turn of the event loop: about 10 ms of work if events are small. */
const turnBytes = 65_536;

/** Bound on the answer's bytes, from the tokens that the request allows; none if it names no number. */
function mostBytes({ max_tokens, max_completion_tokens, max_output_tokens, n }: Plain): number {
  const tokens = [max_tokens, max_completion_tokens, max_output_tokens].find((each) => typeof each === 'number');
  if (tokens === undefined) return Number.POSITIVE_INFINITY;
  return envelopeBytes + bytesPerToken * Number(tokens) * (typeof n === 'number' ? n : 1);
}

async function copy(answer: Response, response: ServerResponse, reader: PassedReader, most: number): Promise<void> {
  let [bytes, yieldAt] = [0, turnBytes];
  for await (const chunk of answer.body ?? []) {
    reader.add(chunk);
    bytes += chunk.length;
    // Buffered chunks arrive without a turn of the event loop in between.
    if (bytes > yieldAt) await new Promise((resolve) => setImmediate(resolve));
    if (bytes > yieldAt) yieldAt = bytes + turnBytes;
    if (bytes > most) throw new FaultError(tooMuch('the engine', most));
    if (!response.write(chunk)) await roomIn(response);
    if (response.destroyed) return;
  }
  response.end();
}

export function passOnly(path: string) {
  return async (context: GatewayContext, exchange: Exchange): Promise<void> => {
    const body = record(unfolded(path, await readJson(context, exchange.request)));
    const served = servedModel(context, typeof body.model === 'string' ? body.model : '');
    const model = passable(served);
    if (model !== undefined) return passThrough(context, exchange, model, body, path);
    const message = `'model' is '${served.name}', whose engine has no endpoint ${path.slice('/v1/'.length)}`;
    throw new ApiError('unsupported_parameter', message, { param: 'model' });
  };
}
