// `/v1/responses/{id}`: read, resume, cancel and delete. A stored response is a search in the journal.

import { readLog } from '@coppice/core/journal';
import { eventsIn } from '@coppice/core/log';
import { z } from 'zod';
import { findResponse, noResponse, type StoredResponse } from '../dialects/responses/conversation.ts';
import { type ResponseFacts, responseId } from '../dialects/responses/response-json.ts';
import { responseTeller } from '../dialects/responses/responses-dialect.ts';
import { journalTrouble, refuse } from '../http/api-error.ts';
import { readQuery } from '../http/checked-input.ts';
import { EventStream } from '../http/event-stream.ts';
import { type Exchange, goneOf, writeJson } from '../http/exchange.ts';
import { endOfRecord, successorIn } from '../result/told-end.ts';
import { readBack } from '../searches/live-search.ts';
import { type GatewayContext, requestCancel } from './context.ts';
import { accepted, streamStored } from './telling.ts';

export async function readResponse(context: GatewayContext, exchange: Exchange): Promise<void> {
  const { query, response } = exchange;
  const { facts } = await responseOf(context, exchange);
  const { stream, starting_after: after } = readQuery(responseQuery, query);
  if (stream !== 'true') return writeJson(response, 200, await replayed(context, facts));
  const release = context.streams.take();
  try {
    await streamStored(context, new EventStream(response, context.limits), responseTeller(facts), facts.id, after);
  } finally {
    release();
  }
}

export async function cancelResponse(context: GatewayContext, exchange: Exchange): Promise<void> {
  const { facts } = await responseOf(context, exchange);
  if (!facts.background)
    refuse('bad_request', 'only a response in the background can be cancelled; close the connection of another');
  await end(context, exchange, facts.id);
  writeJson(exchange.response, 200, await replayed(context, facts));
}

export async function removeResponse(context: GatewayContext, exchange: Exchange): Promise<void> {
  const { facts } = await responseOf(context, exchange);
  const [first, ...others] = await end(context, exchange, facts.id);
  // Removes the first search last: its record names the others.
  for (const id of others) await context.journal.remove(id);
  if (!(await context.journal.remove(first))) throw noResponse(exchange.parameters.id ?? '');
  writeJson(exchange.response, 200, { id: responseId(facts.id), object: 'response', deleted: true });
}

async function responseOf({ journal }: GatewayContext, exchange: Exchange): Promise<StoredResponse> {
  const found = await findResponse({ journal, caller: exchange.caller }, exchange.parameters.id ?? '');
  exchange.search = found.record.id;
  return found;
}

async function replayed({ journal }: GatewayContext, facts: ResponseFacts): Promise<unknown> {
  // Read before the log: once a search has its end, its log is complete.
  const record = await journal.find(facts.id);
  if (record === undefined) throw noResponse(responseId(facts.id));
  const teller = responseTeller(facts);
  for await (const page of readLog(journal, facts.id)) {
    for (const event of page.flatMap(eventsIn)) teller.event?.(event);
  }
  const next = successorIn(record);
  const last = next === undefined ? undefined : await journal.find(next);
  if (last === undefined) return teller.answer(endOfRecord(record));
  if (last.endedMs === undefined) return teller.answer({ ...accepted, state: 'running' });
  teller.takeOver?.(await readBack(journal, last));
  return teller.answer(endOfRecord(last));
}

/** Ends a search and its successors; resolves to their ids when their ends are durable. */
async function end(context: GatewayContext, exchange: Exchange, id: string): Promise<[string, ...string[]]> {
  if ((await requestCancel(context, id)).noted === 'refused') throw journalTrouble();
  const next = successorIn(await context.watchers.ended(id, goneOf(exchange.response)));
  return next === undefined ? [id] : [id, ...(await end(context, exchange, next))];
}

export const responseQuery = z.object({
  stream: z.enum(['true', 'false']).optional(),
  starting_after: z.int().min(-1).default(-1),
  /** OpenAI's clients may ask for streams without padding; there is none. */
  include_obfuscation: z.enum(['true', 'false']).optional(),
});
