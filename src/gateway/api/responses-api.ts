// `/v1/responses/{id}`: read, resume, cancel, delete, and list what was put in. A response that is stored is a search in the journal.

import { z } from 'zod';
import type { SearchRecord } from '../../journal/journal.ts';
import { readLog } from '../../journal/read-log.ts';
import { eventsIn } from '../../log/entry.ts';
import type { Teller } from '../dialects/dialect.ts';
import { findResponse, noResponse, type StoredResponse } from '../dialects/responses/conversation.ts';
import { itemsOf, messageOf } from '../dialects/responses/response-body.ts';
import { type ResponseFacts, responseId } from '../dialects/responses/response-json.ts';
import { responseTeller } from '../dialects/responses/responses-dialect.ts';
import { journalTrouble, refuse } from '../http/api-error.ts';
import { readQuery } from '../http/checked-input.ts';
import { openEvents } from '../http/event-stream.ts';
import { type Exchange, goneOf, writeJson } from '../http/exchange.ts';
import { endOfRecord, successorIn, type ToldEnd } from '../result/told-end.ts';
import { readBack } from '../searches/recovery.ts';
import type { GatewayContext } from './context.ts';
import { streamStored } from './telling.ts';

export class ResponsesApi {
  readonly #context: GatewayContext;

  constructor(context: GatewayContext) {
    this.#context = context;
  }

  async read(exchange: Exchange): Promise<void> {
    const { query, response, caller, parameters } = exchange;
    if (query.has('include') || query.has('include[]'))
      refuse('unsupported_parameter', "'include' adds nothing here", 'include');
    const { facts, record } = await findResponse(this.#context.journal, caller, parameters.id ?? '');
    exchange.search = record.id;
    const { stream, starting_after: after } = readQuery(responseQuery, query);
    if (stream !== 'true') return writeJson(response, 200, await this.#json(facts));
    const release = this.#context.streams.take();
    try {
      const events = openEvents(this.#context.limits, response);
      await streamStored(this.#context, events, responseTeller(facts), facts.id, after);
    } finally {
      release();
    }
  }

  async cancel(exchange: Exchange): Promise<void> {
    const { caller, parameters, response } = exchange;
    const { facts, record } = await findResponse(this.#context.journal, caller, parameters.id ?? '');
    exchange.search = record.id;
    if (!facts.background)
      refuse('bad_request', 'only a response in the background can be cancelled; close the connection of another');
    await this.#end(exchange, record.id);
    writeJson(response, 200, await this.#json(facts));
  }

  async remove(exchange: Exchange): Promise<void> {
    const { caller, parameters, response } = exchange;
    const { record } = await findResponse(this.#context.journal, caller, parameters.id ?? '');
    exchange.search = record.id;
    const [first, ...others] = await this.#end(exchange, record.id);
    // The first names the others, and so goes last.
    for (const id of others) await this.#context.journal.remove(id);
    if (!(await this.#context.journal.remove(first))) throw noResponse(parameters.id ?? '');
    writeJson(response, 200, { id: responseId(record.id), object: 'response', deleted: true });
  }

  async inputItems(exchange: Exchange): Promise<void> {
    const { caller, parameters, response, query } = exchange;
    const found = await findResponse(this.#context.journal, caller, parameters.id ?? '');
    const { limit, order, after } = readQuery(itemsQuery, query);
    const items = inputOf(found);
    if (order === 'desc') items.reverse();
    const from = items.findIndex(({ id }) => id === after) + 1;
    const data = items.slice(from, from + limit);
    const ends = { first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null };
    writeJson(response, 200, { object: 'list', data, ...ends, has_more: items.length > from + limit });
  }

  async #json(facts: ResponseFacts) {
    // Read first: a log is complete by the time that its search has an end.
    const record = await this.#context.journal.find(facts.id);
    if (record === undefined) throw noResponse(responseId(facts.id));
    const teller = responseTeller(facts);
    for await (const page of readLog(this.#context.journal, facts.id)) {
      for (const event of page.flatMap(eventsIn)) teller.event?.(event);
    }
    return teller.answer(await this.#endOf(teller, record));
  }

  /** Of its search, or of the one that took over: that one is told to the teller once it has ended. */
  async #endOf(teller: Teller, record: SearchRecord): Promise<ToldEnd> {
    const { journal } = this.#context;
    const next = successorIn(record);
    const last = next === undefined ? undefined : await journal.find(next);
    if (last === undefined) return endOfRecord(record);
    if (last.endedMs === undefined) return { state: 'running', outcome: undefined, texts: undefined, error: undefined };
    teller.takeOver?.(await readBack(journal, last));
    return endOfRecord(last);
  }

  /**
   * Ends its search and the one that took over; resolves to both when their ends are on disk. Noted first, so that a crash in between does
   * not bring them back.
   */
  async #end({ response }: Pick<Exchange, 'response'>, id: string): Promise<[string, ...string[]]> {
    const { journal, searches, watchers } = this.#context;
    const noted = await journal.requestCancel(id).catch(() => 'refused' as const);
    const live = searches.find(id);
    if (live !== undefined) searches.cancel(live);
    if (noted === 'refused') throw journalTrouble();
    const next = successorIn(await watchers.ended(id, goneOf(response)));
    return next === undefined ? [id] : [id, ...(await this.#end({ response }, next))];
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
