// Reads the conversation before a response from the journal: the response that it names, and items to which it refers. A key sees only
// its own, and an unstored response is never read.

import type { SearchPlan } from '@coppice/core/answering';
import { nextSlice, raise } from '@coppice/core/base';
import type { SearchRecord } from '@coppice/core/journal';
import { ApiError, refuse } from '../../http/api-error.ts';
import { maySee } from '../../http/keys.ts';
import { successorIn } from '../../result/told-end.ts';
import type { ResultTexts } from '../../wire/result-json.ts';
import type { ChatBody } from '../chat-body.ts';
import type { ChatContext } from '../dialect.ts';
import { callId } from '../turn-body.ts';
import { hasItems } from '../unchecked.ts';
import { type InputItem, itemsOf, messageOf, type ResponseBody } from './response-body.ts';
import { type ResponseFacts, searchIdOf } from './response-json.ts';
import { turnMessage } from './response-turns.ts';

type ChatMessage = ChatBody['messages'][number];
type Asker = Pick<ChatContext, 'journal' | 'caller'>;

interface StoredBody extends ResponseBody {
  readonly history: readonly ChatMessage[];
}

export interface StoredResponse {
  readonly record: SearchRecord;
  readonly body: StoredBody;
  readonly facts: ResponseFacts;
}

export async function findResponse({ journal, caller }: Asker, name: string): Promise<StoredResponse> {
  const id = searchIdOf(name);
  const record = id === undefined ? undefined : await journal.find(id);
  const body = record?.request?.body as StoredBody | undefined;
  const mayRead = record !== undefined && maySee(caller, record.owner);
  if (mayRead && record.damage !== undefined) raise('damaged', record.damage);
  // A successor answers under the name of the first search.
  const isOther = (record?.about.escalated_from ?? null) !== null;
  if (!mayRead || isOther || body?.input === undefined || body.store === false) throw noResponse(name);
  const { id: search, createdMs, background } = record;
  const plan = record.request?.plan as SearchPlan;
  return { record, body, facts: { id: search, plan, body, createdMs, background, stored: true } };
}

export function noResponse(name: string): ApiError {
  return new ApiError('not_found', `there is no response '${name.slice(0, 64)}'`);
}

export async function historyOf(asker: Asker, body: ResponseBody): Promise<ChatMessage[]> {
  const { previous_response_id: name } = body;
  if (name === undefined || name === null) return [];
  const previous = await findResponse(asker, name).catch((error: unknown) => {
    if (!(error instanceof ApiError)) throw error;
    throw new ApiError('not_found', error.message, { param: 'previous_response_id' });
  });
  const own = await messagesIn(asker, previous.body);
  return [...previous.body.history, ...own, await answerOf(asker, previous, 'previous_response_id')];
}

export async function messagesIn(asker: Asker, body: ResponseBody): Promise<ChatMessage[]> {
  const said: ChatMessage[] = [];
  const answers = new Map<InputItem['id'], ChatMessage | undefined>();
  for (const [at, item] of itemsOf(body).entries()) {
    const turn = hasItems(body.tools) ? turnMessage(item) : undefined;
    const isReference = item.type === 'item_reference';
    // Read once, however often it is referred to: a record may hold megabytes.
    if (isReference && !answers.has(item.id)) answers.set(item.id, await referencedAnswer(asker, item, at));
    const message = turn ?? (isReference ? answers.get(item.id) : messageOf(item, at));
    if (message !== undefined) said.push(message);
  }
  return said;
}

async function referencedAnswer(asker: Asker, { id }: InputItem, at: number): Promise<ChatMessage | undefined> {
  const name = id ?? '';
  if (name.startsWith('rs_')) return undefined;
  await nextSlice();
  return answerOf(asker, await findResponse(asker, name), `input.${at}`);
}

async function answerOf({ journal }: Asker, { record: first }: StoredResponse, param: string): Promise<ChatMessage> {
  const next = successorIn(first);
  const record = (next === undefined ? undefined : await journal.find(next)) ?? first;
  const texts = record.texts as Partial<ResultTexts> | undefined;
  const content = texts?.content ?? texts?.refusal ?? null;
  const calls = texts?.calls?.map((call, at) => ({ id: callId(first.id, at), type: 'function', function: call }));
  if (calls !== undefined) return { role: 'assistant', content, tool_calls: calls };
  if (content === null)
    return refuse('invalid_value', `'${param}' names a response without an answer; it is ${record.state}`, param);
  return { role: 'assistant', content };
}
