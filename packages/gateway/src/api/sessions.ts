// Finds the session of a request and what that session has spent. All of it is read from the journal: this process keeps nothing, so
// restarts, other nodes and any number of ids change nothing. A session lasts until its last search is removed.

import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { isFault, nextSlice } from '@coppice/core/base';
import { type Journal, type ListQuery, type Plain, type SearchRecord, storable } from '@coppice/core/journal';
import type { Session } from '@coppice/core/runtime';
import { z } from 'zod';
import { sessionName, sessionSchema } from '../dialects/chat-body.ts';
import { searchIdOf } from '../dialects/responses/response-json.ts';
import { record } from '../dialects/unchecked.ts';
import { ApiError } from '../http/api-error.ts';
import { parseBody } from '../http/checked-input.ts';
import type { Caller } from '../http/keys.ts';
import { outcomeIn } from '../result/told-end.ts';
import type { SessionJson } from '../wire/search-json.ts';
import type { GatewayContext } from './context.ts';

type SessionContext = Pick<GatewayContext, 'journal' | 'clock' | 'config'>;

/** Headers in which routers and Anthropic's agent name a session. */
const headerNames = ['x-session-id', 'x-smg-routing-key', 'x-dynamo-session-id', 'x-claude-code-session-id'] as const;

/** Turns that are read at a time, and at most: more only where many ran at one time. */
const [pageTurns, mostTurns] = [16, 512];

const ownField = z.looseObject({ coppice: z.looseObject({ session: sessionSchema.nullish() }).nullish() });

/** Undefined without a session. Throws an ApiError if its budget is spent. `body` may be of any API and unchecked. */
export async function sessionOf(
  context: SessionContext,
  caller: Caller,
  body: Plain,
  headers: IncomingHttpHeaders = {},
): Promise<Session | undefined> {
  const { session: own } = parseBody(ownField, { coppice: { session: record(body.coppice).session } }).coppice ?? {};
  const wanted = typeof own === 'string' ? { id: own } : own;
  const id =
    wanted?.id ?? headerOf(headers) ?? (await earlierOf(context, caller, body)) ?? nameIn(body.prompt_cache_key);
  if (id === undefined) return undefined;
  const session = await readSession(context, caller, storable(id), wanted ?? {});
  refuseSpent(session);
  return session;
}

function headerOf(headers: IncomingHttpHeaders): string | undefined {
  return headerNames.map((name) => nameIn(headers[name])).find((name) => name !== undefined);
}

function nameIn(value: unknown): string | undefined {
  return sessionName.safeParse(value).data;
}

/** The session of the previous response; one without a session begins a session under its search's id. */
async function earlierOf({ journal }: SessionContext, caller: Caller, { previous_response_id: name }: Plain) {
  const id = typeof name === 'string' ? searchIdOf(name) : undefined;
  const earlier = id === undefined ? undefined : await journal.find(id);
  return earlier?.owner === caller.name ? (earlier.session ?? earlier.id) : undefined;
}

type Budgets = { readonly [Name in 'token_budget' | 'money_budget']?: number | undefined };

async function readSession({ journal, clock, config }: SessionContext, caller: Caller, id: string, asked: Budgets) {
  const nowMs = clock.nowMs();
  const query = { owner: caller.name, session: id, limit: pageTurns };
  // Pass-through works while the journal is unavailable: such a turn counts as the first.
  let turns = await readTurns(journal, query).catch((error: unknown) => {
    if (isFault(error, 'unavailable')) return [];
    throw error;
  });
  const { token_budget: tokenBudget, money_budget: moneyBudget } = { ...sessionIn(turns[0]), ...asked };
  // The last turn was answered once its log was durable; its cost may not be on record yet.
  if (turns.length > 0 && (tokenBudget ?? moneyBudget) !== undefined)
    turns = await journal.flush().then(() => readTurns(journal, query));
  const oldest = turns.at(-1);
  const before = sessionIn(oldest);
  const each = turns.map((turn) => spentBy(turn, nowMs));
  const sum = (read: (spent: ReturnType<typeof spentBy>) => number) => each.reduce((all, one) => all + read(one), 0);
  // Keys share no caches; without keys everything belongs to one person.
  const salt = config.keys.length === 0 ? undefined : digest('salt', caller.name);
  return {
    id,
    route: digest('route', caller.name, id),
    ...(salt && { salt }),
    sinceMs: before.since_ms ?? oldest?.createdMs ?? nowMs,
    turns: (before.turns ?? 0) + turns.length,
    open: turns.filter(({ endedMs }) => endedMs === undefined).length,
    seconds: (before.seconds ?? 0) + sum(({ seconds }) => seconds),
    tokens: (before.tokens ?? 0) + sum(({ tokens }) => tokens),
    money: (before.money ?? 0) + sum(({ money }) => money),
    ...(tokenBudget === undefined ? {} : { tokenBudget }),
    ...(moneyBudget === undefined ? {} : { moneyBudget }),
  } satisfies Session;
}

function sessionIn(turn: SearchRecord | undefined): Partial<SessionJson> {
  return record(turn?.about.session);
}

/** The newest turns, back to one that holds the cost of all before it. */
async function readTurns(journal: Journal, query: ListQuery, newer: SearchRecord[] = []): Promise<SearchRecord[]> {
  const page = await journal.list(query);
  const turns = [...newer, ...page];
  const last = turns.findIndex(holdsSums);
  if (last >= 0) return turns.slice(0, last + 1);
  if (page.length < query.limit || turns.length >= mostTurns) return turns;
  return nextSlice().then(() => readTurns(journal, { ...query, before: page.at(-1)!.id }, turns));
}

/** True if a turn holds the whole cost of all turns before it, the next of `turns` being the one before. */
function holdsSums(turn: SearchRecord, at: number, turns: readonly SearchRecord[]): boolean {
  const { turns: before, open = 0 } = sessionIn(turn);
  const last = turns[at + 1];
  return open === 0 && last !== undefined && (sessionIn(last).turns ?? 0) + 1 === before;
}

function spentBy(turn: SearchRecord, nowMs: number) {
  const { usage, money = 0 } = outcomeIn(turn);
  const { startedMs, endedMs = nowMs } = turn;
  const seconds = startedMs === undefined ? 0 : Math.max(0, endedMs - startedMs) / 1000;
  return { seconds, tokens: usage?.completion_tokens ?? 0, money };
}

function digest(...parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32);
}

function refuseSpent({ id, tokens, money, tokenBudget, moneyBudget }: Session): void {
  const refuse = (spent: number, budget: number, field: string): never => {
    const message = `session '${id.slice(0, 64)}' has spent ${spent} of its ${budget} (coppice.session.${field})`;
    throw new ApiError('session_spent', message, { param: `coppice.session.${field}` });
  };
  if (tokenBudget !== undefined && tokens >= tokenBudget) refuse(tokens, tokenBudget, 'token_budget');
  if (moneyBudget !== undefined && money >= moneyBudget) refuse(money, moneyBudget, 'money_budget');
}
