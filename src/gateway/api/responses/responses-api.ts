// `/v1/responses`: create, read, resume, cancel, delete, and list what was put in. A response that is stored is a search in
// the journal; one that is not lives as long as its connection.

import { z } from 'zod';
import type { Plain } from '../../../journal/journal.ts';
import { ApiError, journalTrouble, refuse } from '../../http/api-error.ts';
import { EventStream } from '../../http/event-stream.ts';
import { type Exchange, goneOf, onDisconnect, parseJson, readBody, writeJson } from '../../http/exchange.ts';
import { readQuery } from '../../plan/query.ts';
import type { LiveSearch } from '../../searches/live-search.ts';
import { requireResult } from '../../searches/search-end.ts';
import { type GatewayContext, requireJournal } from '../context.ts';
import { endOnRecord } from '../end-on-record.ts';
import { passThrough } from '../passthrough.ts';
import { upstreamFor } from '../upstream-for.ts';
import { findResponse, noResponse, type StoredResponse } from './conversation.ts';
import { planResponse } from './plan-response.ts';
import { itemsOf, messageOf, parseResponseBody, type ResponseBody } from './response-body.ts';
import { ResponseFold } from './response-fold.ts';
import { type ResponseEnd, type ResponseFacts, responseId } from './response-json.ts';
import { endOfLive, endOfRecord, foldStored, LiveResponse, storedEvents } from './response-stream.ts';

/** What the journal holds of a search that was accepted a moment ago. */
const accepted: ResponseEnd = { state: 'queued', outcome: undefined, texts: undefined, error: undefined };

export class ResponsesApi {
  readonly #context: GatewayContext;

  constructor(context: GatewayContext) {
    this.#context = context;
  }

  async create(exchange: Exchange): Promise<void> {
    const value = parseJson(await readBody(exchange.request, this.#context.config.server.bodyBytes));
    const upstream = upstreamFor(this.#context, '/responses', value);
    if (upstream !== undefined) return passThrough(this.#context, exchange, upstream, value as Plain, '/responses');
    const body = parseResponseBody(value);
    requireJournal(this.#context);
    const stored = this.#isStored(body);
    const background = body.background === true;
    const release = background && body.stream !== true ? () => {} : this.#context.streams.take();
    try {
      const search = await this.#start(exchange, body, background);
      const { plan, createdMs } = search.facts;
      const facts: ResponseFacts = { id: search.id, plan, body, createdMs, background, stored };
      if (!background) onDisconnect(exchange.response, () => this.#context.searches.cancel(search));
      if (body.stream === true)
        await (stored ? this.#sendStored(exchange, facts, -1) : this.#sendLive(exchange, facts, search));
      else if (background) writeJson(exchange.response, 200, new ResponseFold(facts).json(accepted));
      else await this.#answer(exchange, facts, search);
    } finally {
      release();
    }
  }

  async read(exchange: Exchange): Promise<void> {
    const { query, response, caller, parameters } = exchange;
    if (query.has('include') || query.has('include[]'))
      refuse('unsupported_parameter', "'include' adds nothing here", 'include');
    const { facts, record } = await findResponse(this.#context, caller, parameters.id ?? '');
    exchange.search = record.id;
    const { stream, starting_after: after } = readQuery(responseQuery, query);
    if (stream !== 'true') return writeJson(response, 200, await this.#json(facts));
    const release = this.#context.streams.take();
    try {
      await this.#sendStored(exchange, facts, after);
    } finally {
      release();
    }
  }

  async cancel(exchange: Exchange): Promise<void> {
    const { caller, parameters, response } = exchange;
    const { facts, record } = await findResponse(this.#context, caller, parameters.id ?? '');
    exchange.search = record.id;
    if (!facts.background)
      refuse('bad_request', 'only a response in the background can be cancelled; close the connection of another');
    await this.#end(exchange, record.id);
    writeJson(response, 200, await this.#json(facts));
  }

  async remove(exchange: Exchange): Promise<void> {
    const { caller, parameters, response } = exchange;
    const { record } = await findResponse(this.#context, caller, parameters.id ?? '');
    exchange.search = record.id;
    await this.#end(exchange, record.id);
    if (!(await this.#context.journal.remove(record.id))) throw noResponse(parameters.id ?? '');
    writeJson(response, 200, { id: responseId(record.id), object: 'response', deleted: true });
  }

  async inputItems(exchange: Exchange): Promise<void> {
    const { caller, parameters, response, query } = exchange;
    const found = await findResponse(this.#context, caller, parameters.id ?? '');
    const { limit, order, after } = readQuery(itemsQuery, query);
    const items = inputOf(found);
    if (order === 'desc') items.reverse();
    const from = items.findIndex(({ id }) => id === after) + 1;
    const data = items.slice(from, from + limit);
    const ends = { first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null };
    writeJson(response, 200, { object: 'list', data, ...ends, has_more: items.length > from + limit });
  }

  // ---- starting --------------------------------------------------------------------------------------------------

  /** What is to be read again needs texts that stay; what does not say so is stored where it can be. */
  #isStored({ store, background, previous_response_id: previous }: ResponseBody): boolean {
    const { texts } = this.#context.journal;
    const need = (name: string) => {
      const message = `'${name}' needs texts that are kept, and journal.texts is '${texts}'`;
      return refuse('unsupported_parameter', message, name);
    };
    if (texts !== 'keep') {
      if (store === true) need('store');
      if (typeof previous === 'string') need('previous_response_id');
      if (background === true) need('background');
    }
    if (background === true && store === false)
      refuse(
        'unsupported_parameter',
        "'store' is false: a response in the background must be stored to be read",
        'store',
      );
    return texts === 'keep' && store !== false;
  }

  async #start(exchange: Exchange, body: ResponseBody, background: boolean): Promise<LiveSearch> {
    const { caller, trace } = exchange;
    const { deadlineMs, backgroundDeadlineMs } = this.#context.config.admission;
    const mostMs = background ? backgroundDeadlineMs : deadlineMs;
    const { plan, kept } = await planResponse(this.#context, caller, body, mostMs);
    const search = await this.#context.searches.start(plan, caller, {
      background,
      body: kept as unknown as Plain,
      trace,
    });
    if ('known' in search) throw new ApiError('internal', 'a response has no idempotency key');
    exchange.search = search.id;
    return search;
  }

  // ---- answering -------------------------------------------------------------------------------------------------

  async #answer({ response }: Exchange, facts: ResponseFacts, search: LiveSearch): Promise<void> {
    const live = new LiveResponse(search, facts);
    requireResult(await search.wait());
    const end = facts.stored ? endOfRecord(await endOnRecord(this.#context, response, facts.id)) : endOfLive(search);
    writeJson(response, 200, live.json(end));
  }

  async #sendLive(exchange: Exchange, facts: ResponseFacts, search: LiveSearch): Promise<void> {
    const events = this.#stream(exchange);
    new LiveResponse(search, facts, (event) => events.event(event.type, event));
    await search.wait();
    events.end();
  }

  async #sendStored(exchange: Exchange, facts: ResponseFacts, after: number): Promise<void> {
    const gone = goneOf(exchange.response);
    const events = this.#stream(exchange);
    for await (const event of storedEvents(this.#context, facts, gone)) {
      if (event.sequence_number > after) events.event(event.type, event);
      await events.ready();
    }
    if (!events.closed) events.end();
  }

  #stream({ response }: Exchange): EventStream {
    const { heartbeatMs, streamBytes } = this.#context.config.server;
    return new EventStream(response, { heartbeatMs, limitBytes: streamBytes });
  }

  async #json(facts: ResponseFacts) {
    // Read first: a log is complete by the time that its search has an end.
    const record = await this.#context.journal.find(facts.id);
    if (record === undefined) throw noResponse(responseId(facts.id));
    return (await foldStored(this.#context, facts)).json(endOfRecord(record));
  }

  /** Resolves when its end is on disk. Noted first, so that a crash in between does not bring it back. */
  async #end({ response }: Exchange, id: string): Promise<void> {
    const { journal, searches, watchers } = this.#context;
    const noted = await journal.requestCancel(id).catch(() => 'refused' as const);
    const live = searches.find(id);
    if (live !== undefined) searches.cancel(live);
    if (noted === 'refused') throw journalTrouble();
    await watchers.ended(id, goneOf(response));
  }
}

export const responseQuery = z.object({
  stream: z.enum(['true', 'false']).optional(),
  /** The number of the last event that the reader has. */
  starting_after: z.int().min(-1).default(-1),
  /** OpenAI's clients ask for streams without padding; there is none. */
  include_obfuscation: z.enum(['true', 'false']).optional(),
});

export const itemsQuery = z.object({
  limit: z.int().min(1).max(100).default(20),
  order: z.enum(['asc', 'desc']).default('desc'),
  after: z.string().optional(),
});

type ListedItem = Readonly<Record<string, unknown>> & { readonly id: string };

function inputOf({ body, record }: StoredResponse): ListedItem[] {
  return itemsOf(body).flatMap((item, at): ListedItem[] => {
    const id = `${record.id.replace(/^srch_/, 'msg_')}_${at}`;
    if (item.type === 'item_reference') return [{ ...item, id: item.id ?? id }];
    const message = messageOf(item, at);
    if (message === undefined) return [];
    const type = message.role === 'assistant' ? 'output_text' : 'input_text';
    return [
      { id, type: 'message', role: message.role, status: 'completed', content: [{ type, text: message.content }] },
    ];
  });
}
