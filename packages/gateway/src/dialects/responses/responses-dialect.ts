// `POST /v1/responses` for OpenAI's clients. Conversation and input are searched as a chat; the events are a fold of the log, so that a
// stored response can be resumed.

import type { Plain, TextKeeping } from '@coppice/core/journal';
import { refuseField } from '../../http/api-error.ts';
import { shapeWith } from '../answer-format.ts';
import type { AskedBody, Beyond, ChatContext, InboundDialect, SearchedChat, StreamFrame, Teller } from '../dialect.ts';
import { ignoredIn, parseSearched, passedIn } from '../fields.ts';
import { askedTurn } from '../turn-body.ts';
import { hasItems, record, some } from '../unchecked.ts';
import { historyOf, messagesIn } from './conversation.ts';
import {
  chatOf,
  isBeyondSearch,
  isBeyondTurn,
  notIncluded,
  type ResponseBody,
  responseSchema,
} from './response-body.ts';
import { type ResponseEvent, ResponseFold } from './response-fold.ts';
import type { ResponseFacts } from './response-json.ts';
import { chatTools } from './response-turns.ts';

export const responsesDialect: InboundDialect<ResponseBody> = {
  path: '/v1/responses',
  fieldNames: [
    [/\bmax_completion_tokens\b/g, 'max_output_tokens'],
    [/\breasoning_effort\b/g, 'reasoning.effort'],
    [/\bmessages\b/g, 'input'],
    [/\blogprobs\b/g, 'include'],
    [/\bresponse_format\b/g, 'text.format'],
  ],
  beyond,
  read,
  chat,
  teller: ({ body, stored = false }, { facts: { id, plan, createdMs, background } }) =>
    responseTeller({ id, plan, body, createdMs, background, stored }),
  error: (error) => ({ error }),
};

/** Passes on no body with a previous response or background work: only this server knows these. */
function beyond(body: Plain): Beyond {
  const { tools, input, previous_response_id: previous, background, text } = body;
  if (typeof previous === 'string' || background === true) return { isBeyond: false, passed: [] };
  const isBeyond = hasItems(tools) || some(input, isBeyondSearch);
  const turn = some(input, isBeyondTurn)
    ? undefined
    : askedTurn({ ...chatTools(body), reasoning_effort: record(body.reasoning).effort });
  return { isBeyond, passed: passedIn(body), turn, shape: () => shapeWith(record(text).format) };
}

function read(value: unknown, texts: TextKeeping): AskedBody<ResponseBody> {
  const body = parseSearched(responseSchema, value);
  const { stream, background } = body;
  const ignored = [...ignoredIn(responseSchema, value), ...notIncluded(body)];
  const stored = isStored(body, texts);
  return { body, stream: stream === true, background: background === true, stored, ignored };
}

const unsupported = 'unsupported_parameter';

/** Stored by default if texts are kept: reading a response again needs them. */
function isStored({ store, background, previous_response_id: previous }: ResponseBody, texts: TextKeeping): boolean {
  const needsTexts = { store: store === true, previous_response_id: typeof previous === 'string', background };
  const [name] = Object.entries(needsTexts).find(([, isAsked]) => isAsked === true) ?? [];
  if (texts !== 'keep' && name !== undefined)
    refuseField(unsupported, name, `needs texts that are kept, and journal.texts is '${texts}'`);
  if (background === true && store === false)
    refuseField(unsupported, 'store', 'is false: a response in the background must be stored to be read');
  return texts === 'keep' && store !== false;
}

async function chat(body: ResponseBody, context: ChatContext): Promise<SearchedChat> {
  const history = await historyOf(context, body);
  const said = await messagesIn(context, body);
  return { chat: chatOf(body, [...history, ...said]), kept: { ...body, history } };
}

export function responseTeller(facts: ResponseFacts): Teller {
  const fold = new ResponseFold(facts);
  return {
    begin: () => framed(fold.begin()),
    event: (entry) => framed(fold.apply(entry)),
    takeOver: (search) => framed(fold.takeOver(search)),
    end: (end) => framed(fold.finish(end)),
    answer: (end) => fold.json(end),
  };
}

function framed(events: readonly ResponseEvent[]): StreamFrame[] {
  return events.map((data) => ({ event: data.type, data, sequence: data.sequence_number }));
}
