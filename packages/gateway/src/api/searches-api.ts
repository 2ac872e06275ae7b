// `/v1/searches`: start, list, read, cancel. A key sees its own searches; an admin key sees all.

import { isFault, nextSlice } from '@coppice/core/base';
import {
  type Journal,
  type ListQuery,
  type Plain,
  type SearchRecord,
  type SearchState,
  searchStates,
  storable,
} from '@coppice/core/journal';
import { eventsIn, type LogEntry } from '@coppice/core/log';
import { z } from 'zod';
import { chatDialect } from '../dialects/chat/chat-dialect.ts';
import { parseChatBody, searchSchema } from '../dialects/chat-body.ts';
import { ignoredIn, unfolded } from '../dialects/fields.ts';
import type { LogPage } from '../follow/log-watchers.ts';
import { ApiError, asApiError, journalTrouble, refuse } from '../http/api-error.ts';
import { readQuery } from '../http/checked-input.ts';
import { EventStream, eventText } from '../http/event-stream.ts';
import { baseHeaders, type Exchange, onDisconnect, readJson, writeJson } from '../http/exchange.ts';
import { type Caller, maySee } from '../http/keys.ts';
import { outcomeIn } from '../result/told-end.ts';
import type { LiveSearch } from '../searches/live-search.ts';
import { requireResult } from '../searches/search-end.ts';
import { viewAccepted, viewRecord, viewWhole } from '../searches/search-view.ts';
import type { SearchJson, WholeSearchJson } from '../wire/search-json.ts';
import { type GatewayContext, requestCancel, requireJournal, tellIgnored } from './context.ts';
import { planFor } from './plan-for.ts';
import { sessionOf } from './sessions.ts';
import { endOnRecord } from './telling.ts';

type Stored = Pick<GatewayContext, 'journal' | 'searches'>;

const sliceSearches = 50;
const cancelMs = 2000;
const cancelNotNoted =
  'the search is stopped here, but the journal cannot be written now, and a restart would take it up again; ask again';

export async function createSearch(context: GatewayContext, exchange: Exchange): Promise<void> {
  const { config, searches } = context;
  const { response, caller } = exchange;
  const { body, ignored } = await readSearchBody(context, exchange);
  requireJournal(context);
  const background = body.background === true;
  const { admission, limits } = config;
  const deadlineMs = background ? limits.deadlineMs : admission.deadlineMs;
  const session = await sessionOf(context, caller, body as Plain, exchange.request.headers);
  const { plan, untaken } = planFor(context, body, caller, { deadlineMs, session });
  tellIgnored(context, [...ignored, ...untaken], exchange);
  const idempotencyKey = idempotencyOf(exchange);
  const release = background ? () => {} : context.streams.take();
  try {
    const started = await searches.start(plan, caller, {
      background,
      body: body as Plain,
      ...(body.title ? { title: body.title } : {}),
      ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
    });
    if ('known' in started) return await answerKnown(context, exchange, started.known, background);
    exchange.search = started.id;
    if (background) return writeJson(response, 202, viewAccepted(started), { location: `/v1/searches/${started.id}` });
    onDisconnect(response, () => searches.cancel(started));
    const last = await started.wait();
    requireResult(last);
    writeJson(response, 200, await shownToAsker(context, exchange, last));
  } finally {
    release();
  }
}

async function readSearchBody(context: GatewayContext, { request }: Exchange) {
  const value = unfolded(chatDialect.path, await readJson(context, request));
  const body = parseChatBody(searchSchema, value);
  if (body.stream === true)
    refuse('unsupported_parameter', "'stream': read GET /v1/searches/{id}/events instead", 'stream');
  if ((body.n ?? 1) > 1) refuse('unsupported_parameter', "'n': a search has one result; use chat completions", 'n');
  if (body.background === true && context.journal.texts === 'never') {
    const message = "'background' needs journalled texts to survive a crash, and journal.texts is 'never'";
    refuse('unsupported_parameter', message, 'background');
  }
  return { body, ignored: ignoredIn(searchSchema, value) };
}

/** The client that waited also gets the texts that the journal does not keep. */
async function shownToAsker(context: GatewayContext, { response }: Exchange, search: LiveSearch): Promise<Plain> {
  const record = await endOnRecord(context, response, search.id);
  const { texts = {} } = search.ended?.result ?? {};
  const { title, body, plan } = search.facts;
  const whole = { ...record, title, texts: record.texts ?? { ...texts }, request: record.request ?? { plan, body } };
  return viewWhole(whole);
}

/** Answers a repeated request: in the background with the search as it is now, otherwise once it has ended. */
async function answerKnown(
  context: GatewayContext,
  exchange: Exchange,
  id: string,
  background: boolean,
): Promise<void> {
  exchange.search = id;
  if (!background) await context.searches.waitForKnown(id);
  writeJson(exchange.response, background ? 202 : 200, await lookUp(context, exchange.caller, id), {
    location: `/v1/searches/${id}`,
  });
}

function idempotencyOf({ request }: Exchange): string | undefined {
  const value = request.headers['idempotency-key'];
  if (value === undefined) return undefined;
  const key = Array.isArray(value) ? value.join(',') : value;
  if (key.length < 1 || key.length > 200)
    refuse('invalid_value', `Idempotency-Key has ${key.length} characters; 1 to 200 are allowed`);
  return key;
}

const anyState = `(${searchStates.join('|')})`;

export const searchesQuery = z.object({
  state: z
    .string()
    .regex(new RegExp(`^${anyState}(,${anyState})*$`), `must be of ${searchStates.join(', ')}`)
    .optional(),
  limit: z.int().min(1).max(500).default(100),
  before: z.string().optional(),
  session: z.string().optional(),
});

export async function listSearches(context: GatewayContext, { response, query, caller }: Exchange): Promise<void> {
  const { limit, state, before, session } = readQuery(searchesQuery, query);
  const states = state?.split(',');
  const data = await listed(context, {
    limit: limit + 1,
    ...(!caller.admin && { owner: caller.name }),
    ...(states === undefined ? {} : { states: states as SearchState[] }),
    ...(before === undefined ? {} : { before }),
    ...(session === undefined ? {} : { session: storable(session) }),
  });
  writeJson(response, 200, { object: 'list', data: data.slice(0, limit), has_more: data.length > limit });
}

export async function listed({ journal, searches }: Stored, { limit, ...query }: ListQuery): Promise<SearchJson[]> {
  const found: SearchJson[] = [];
  for (let before = query.before; ; ) {
    const most = Math.min(sliceSearches, limit - found.length);
    const page = await journal.list({ ...query, ...(before !== undefined && { before }), limit: most });
    for (const record of page) found.push(viewRecord(record, searches.find(record.id)));
    before = page.at(-1)?.id;
    if (page.length < most || found.length === limit) return found;
    await nextSlice();
  }
}

export async function readSearch(context: GatewayContext, exchange: Exchange): Promise<void> {
  writeJson(exchange.response, 200, await lookUp(context, exchange.caller, exchange.parameters.id ?? ''));
}

export async function cancelSearch(context: GatewayContext, exchange: Exchange): Promise<void> {
  const id = exchange.parameters.id ?? '';
  await lookUp(context, exchange.caller, id);
  const { noted, live } = await requestCancel(context, id);
  if (noted === 'refused') throw journalTrouble(cancelNotNoted);
  // Ends a search that waits in the queue between nodes; a running one ends on its own node.
  const waiting = noted && live === undefined ? await context.journal.find(id) : undefined;
  if (waiting?.state === 'queued') await context.searches.recoverOne(waiting);
  await context.watchers.ended(id, AbortSignal.timeout(cancelMs));
  writeJson(exchange.response, 200, await lookUp(context, exchange.caller, id));
}

export async function lookUp({ journal, searches }: Stored, caller: Caller, id: string): Promise<WholeSearchJson> {
  const record = await findSearch(journal, caller, id);
  return viewWhole(record, searches.find(id));
}

async function findSearch(journal: Journal, caller: Caller, id: string): Promise<SearchRecord> {
  const record = await journal.find(id);
  if (record !== undefined && maySee(caller, record.owner)) return record;
  throw new ApiError('search_not_found', `there is no search '${id.slice(0, 64)}'`);
}

export async function searchEvents(context: GatewayContext, exchange: Exchange): Promise<void> {
  const { journal } = context;
  const { response, caller, parameters } = exchange;
  const record = await findSearch(journal, caller, parameters.id ?? '');
  const { id } = record;
  const after = resumePoint(exchange);
  if (record.endedMs !== undefined && after >= 0 && (await journal.read(id, after, 1)).length === 0) {
    response.writeHead(204, baseHeaders);
    response.end();
    return;
  }
  const release = context.streams.take();
  const events = new EventStream(response, context.limits);
  events.raw('retry: 1000\n\n');
  try {
    await sendLog(context, id, after, events);
  } catch (error) {
    if (!isFault(error, 'damaged')) throw error;
    // An `end` keeps the reader from reconnecting to the same damage.
    context.log.error('journal', { search: id, message: error.fault.message });
    events.event('end', { state: 'failed', error: asApiError(error).body });
  } finally {
    release();
    if (!events.closed) events.end();
  }
}

/**
 * Sends the log from the journal, then live. A reader continues after its last entry and wakes when more is durable:
 * it misses no entry and sees none that a crash could undo. A slow reader holds one page.
 */
async function sendLog({ watchers }: GatewayContext, id: string, from: number, events: EventStream): Promise<void> {
  for (let last: number | undefined = from; last !== undefined; ) {
    await events.ready();
    // SQLite reads synchronously: the event loop turns between pages.
    await nextSlice();
    const after: number = last;
    // In `then`: an `await` here would keep the page in memory while it waits.
    last = await watchers.page(id, after, events.gone).then((page) => page && sendPage(page, after, events));
  }
}

/** Returns the sequence of the last entry sent; undefined at the end of the log. */
function sendPage({ entries, record }: LogPage, after: number, events: EventStream): number | undefined {
  const last = entries.at(-1)?.sequence;
  if (last === undefined) events.event('end', { state: stateBehind(record, after) });
  else events.raw(entries.map(entryText).join(''));
  return last;
}

/** Also `gone` if the retention sweep, which removes a log from its end, came before the reader. */
function stateBehind(record: SearchRecord | undefined, last: number): string {
  if (record === undefined) return 'gone';
  const { summary } = outcomeIn(record);
  return summary !== undefined && last < summary.sequence ? 'gone' : record.state;
}

/** Only the last event has an id: after a broken connection the reader gets the whole entry again. */
function entryText(entry: LogEntry): string {
  const all = eventsIn(entry);
  const idAt = (at: number) => (at === all.length - 1 ? entry.sequence : undefined);
  return all.map((event, at) => eventText('entry', JSON.stringify(event), idAt(at))).join('');
}

export const eventsQuery = z.object({ after: z.int().min(-1).default(-1) });

function resumePoint({ request, query }: Exchange): number {
  const given = request.headers['last-event-id'];
  if (given === undefined) return readQuery(eventsQuery, query).after;
  if (given === '') return -1;
  const after = Number(given);
  if (!Number.isInteger(after) || after < -1)
    refuse('invalid_value', 'Last-Event-ID must be the id of an event: a whole number', 'after');
  return after;
}
