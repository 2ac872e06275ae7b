// One line of a batch: the search that it asks for, and what its search says in the end, in the words of the line's endpoint.

import type { SearchPlan } from '../../../answering/search-plan.ts';
import type { Plain, SearchRecord } from '../../../journal/journal.ts';
import { ApiError, errorKinds, refuse } from '../../http/api-error.ts';
import type { Caller } from '../../http/keys.ts';
import { parseChatBody } from '../../plan/chat-body.ts';
import { recordedSearch } from '../../searches/recovery.ts';
import type { ErrorJson } from '../../wire/search-json.ts';
import { completion } from '../chat-answer.ts';
import type { GatewayContext } from '../context.ts';
import { planFor } from '../plan-for.ts';
import type { StoredBody } from '../responses/conversation.ts';
import { planResponse } from '../responses/plan-response.ts';
import { parseResponseBody } from '../responses/response-body.ts';
import { endOfRecord, foldStored } from '../responses/response-stream.ts';
import type { BatchEndpoint } from './batch-facts.ts';

export interface PlannedLine {
  readonly plan: SearchPlan;
  readonly body: Plain;
}

export interface LineAnswer {
  readonly status: number;
  readonly body: unknown;
}

/** Throws what the client is to be told of a body that cannot be searched. */
export async function planLine(
  context: GatewayContext,
  endpoint: BatchEndpoint,
  body: Plain,
  caller: Caller,
  leftMs: number,
): Promise<PlannedLine> {
  for (const name of ['stream', 'background'])
    if (body[name] === true) refuse('unsupported_parameter', `'${name}' has no meaning in a batch`, name);
  const { plan, kept } =
    endpoint === '/v1/responses'
      ? await planResponse(context, caller, parseResponseBody(body), leftMs)
      : planChat(context, body, caller, leftMs);
  if (plan.onFutile === 'escalate')
    refuse('unsupported_parameter', "'coppice.on_futile' is 'escalate': a line is one search", 'coppice.on_futile');
  return { plan: { ...plan, idle: true }, body: kept as unknown as Plain };
}

function planChat(context: GatewayContext, body: Plain, caller: Caller, leftMs: number) {
  const kept = parseChatBody(body);
  return { plan: planFor(context, kept, caller, leftMs), kept };
}

/** Of a search that has ended. */
export async function lineAnswer(
  context: GatewayContext,
  endpoint: BatchEndpoint,
  record: SearchRecord,
): Promise<LineAnswer> {
  const end = endOfRecord(record);
  if (end.error !== undefined) return errorAnswer(end.error);
  const { outcome, texts } = end;
  if (outcome === undefined || texts === undefined)
    return errorAnswer(new ApiError('cancelled', 'the search was cancelled before it started').body);
  if (endpoint === '/v1/chat/completions')
    return { status: 200, body: completion(await recordedSearch(context.journal, record), { texts, outcome }) };
  const { id, createdMs, background } = record;
  const { plan, body } = record.request as { readonly plan: SearchPlan; readonly body: StoredBody };
  const stored = body.store !== false;
  const fold = await foldStored(context, { id, createdMs, plan, body, background, stored });
  return { status: 200, body: fold.json(end) };
}

export function errorAnswer(error: ErrorJson): LineAnswer {
  const [status] = errorKinds[error.code as keyof typeof errorKinds] ?? [500];
  return { status, body: { error } };
}
