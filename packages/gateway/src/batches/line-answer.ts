// Plans the search of one batch line, and writes its result in the form of the line's dialect.

import type { SearchPlan } from '@coppice/core/answering';
import type { Plain, SearchRecord } from '@coppice/core/journal';
import { type GatewayContext, tellIgnored } from '../api/context.ts';
import { planAsked } from '../api/plan-for.ts';
import type { AskedBody, InboundDialect } from '../dialects/dialect.ts';
import { errorKinds, refuseField } from '../http/api-error.ts';
import type { Caller } from '../http/keys.ts';
import { endOfRecord, resultFor } from '../result/told-end.ts';
import { readBack, replayLog, searchOf } from '../searches/live-search.ts';
import type { ErrorJson } from '../wire/search-json.ts';

export interface LineAnswer {
  readonly status: number;
  readonly body: unknown;
}

export async function planLine(
  context: GatewayContext,
  dialect: InboundDialect,
  body: Plain,
  caller: Caller,
  leftMs: number,
) {
  for (const name of ['stream', 'background'])
    if (body[name] === true) refuseField('unsupported_parameter', name, 'has no meaning in a batch');
  const asked = dialect.read(body, context.journal.texts);
  const planned = await planAsked(context, dialect, asked.body, caller, { deadlineMs: leftMs, idle: true });
  tellIgnored(context, [...asked.ignored, ...planned.untaken]);
  return { ...planned, asked };
}

export interface EndedChain {
  readonly first: SearchRecord;
  readonly last: SearchRecord;
}

export async function lineAnswer(
  { journal }: GatewayContext,
  dialect: InboundDialect,
  { first, last }: EndedChain,
  asked: AskedBody,
): Promise<LineAnswer> {
  const end = endOfRecord(last);
  const result = resultFor(last.request?.plan as SearchPlan, end);
  if ('error' in result) return errorAnswer(result.error, dialect);
  const search = searchOf(first, first.request?.plan as SearchPlan);
  if (last !== first) search.successor = await readBack(journal, last);
  const teller = dialect.teller(asked, search);
  await replayLog(journal, search, (entry) => teller.event?.(entry));
  if (search.successor !== undefined) teller.takeOver?.(search.successor);
  return { status: 200, body: teller.answer(end) };
}

export function errorAnswer(error: ErrorJson, dialect: InboundDialect): LineAnswer {
  const [status] = errorKinds[error.code as keyof typeof errorKinds] ?? [500];
  return { status, body: dialect.error(error) };
}
