// One line of a batch: the search that it asks for, and what its search says in the end, in the words of the line's endpoint.

import type { SearchPlan } from '../../../answering/search-plan.ts';
import type { Plain, SearchRecord } from '../../../journal/journal.ts';
import { ApiError, errorKinds, refuse } from '../../http/api-error.ts';
import { messagesError } from '../../http/exchange.ts';
import type { Caller } from '../../http/keys.ts';
import { parseChatBody } from '../../plan/chat-body.ts';
import { recordedSearch } from '../../searches/recovery.ts';
import type { ErrorJson } from '../../wire/search-json.ts';
import { completion } from '../chat-answer.ts';
import type { GatewayContext } from '../context.ts';
import { wholeMessage } from '../messages/message-answer.ts';
import { parseMessageBody, showsThinking } from '../messages/message-body.ts';
import { planMessage } from '../messages/plan-message.ts';
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
  requireWhole(body);
  const { plan, kept } = await planners[endpoint](context, body, caller, leftMs);
  if (plan.onFutile === 'escalate')
    refuse('unsupported_parameter', "'coppice.on_futile' is 'escalate': a line is one search", 'coppice.on_futile');
  return { plan: { ...plan, idle: true }, body: kept as unknown as Plain };
}

export function requireWhole(body: Plain): void {
  for (const name of ['stream', 'background'])
    if (body[name] === true) refuse('unsupported_parameter', `'${name}' has no meaning in a batch`, name);
}

type Planned = { readonly plan: SearchPlan; readonly kept: object };
type Planner = (context: GatewayContext, body: Plain, caller: Caller, leftMs: number) => Planned | Promise<Planned>;

const planners: Readonly<Record<BatchEndpoint, Planner>> = {
  '/v1/chat/completions': (context, body, caller, leftMs) => {
    const kept = parseChatBody(body);
    return { plan: planFor(context, kept, caller, leftMs), kept };
  },
  '/v1/responses': (context, body, caller, leftMs) => planResponse(context, caller, parseResponseBody(body), leftMs),
  '/v1/messages': (context, body, caller, leftMs) => planMessage(context, caller, parseMessageBody(body), leftMs),
};

/** Of a search that has ended. `asked`: the body of the line. */
export async function lineAnswer(
  context: GatewayContext,
  endpoint: BatchEndpoint,
  record: SearchRecord,
  asked: Plain,
): Promise<LineAnswer> {
  const end = endOfRecord(record);
  if (end.error !== undefined) return errorAnswer(end.error, endpoint);
  const { outcome, texts } = end;
  if (outcome === undefined || texts === undefined)
    return errorAnswer(new ApiError('cancelled', 'the search was cancelled before it started').body, endpoint);
  if (endpoint !== '/v1/responses') {
    const search = await recordedSearch(context.journal, record);
    const isChat = endpoint === '/v1/chat/completions';
    const result = { texts, outcome };
    const thinks = !isChat && showsThinking(parseMessageBody(asked));
    return { status: 200, body: isChat ? completion(search, result) : wholeMessage(search, result, thinks) };
  }
  const { id, createdMs, background } = record;
  const { plan, body } = record.request as { readonly plan: SearchPlan; readonly body: StoredBody };
  const stored = body.store !== false;
  const fold = await foldStored(context, { id, createdMs, plan, body, background, stored });
  return { status: 200, body: fold.json(end) };
}

export function errorAnswer(error: ErrorJson, endpoint: BatchEndpoint): LineAnswer {
  const [status] = errorKinds[error.code as keyof typeof errorKinds] ?? [500];
  return { status, body: endpoint === '/v1/messages' ? messagesError(error) : { error } };
}
