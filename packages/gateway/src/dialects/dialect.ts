// Contract of an API that clients use: reads what a body asks for, and writes a search as a whole answer, a stream or an error. A dialect
// never starts a search and never writes to a connection or to the journal. A new one passes tests/conformance/dialect.ts.

import type { SearchPlan } from '@coppice/core/answering';
import type { LimitsConfig } from '@coppice/core/config';
import type { JsonSchema } from '@coppice/core/engine';
import type { Journal, Plain, SearchState, TextKeeping } from '@coppice/core/journal';
import type { LoggedEvent, SearchFold } from '@coppice/core/log';
import type { Token } from '@coppice/core/runtime';
import type { Caller } from '../http/keys.ts';
import type { ToldEnd } from '../result/told-end.ts';
import type { ErrorJson } from '../wire/search-json.ts';
import type { ChatBody } from './chat-body.ts';
import type { AskedTurn } from './turn-body.ts';

export interface InboundDialect<Body = unknown> {
  /** Path of its requests, and of an engine's own endpoint. */
  readonly path: `/v1/${string}`;
  readonly fieldNames: FieldNames;
  /** Names the parts of an unchecked body that no search can do. */
  beyond(body: Plain): Beyond;
  /** Refuses a wrong body under its API's field names. */
  read(value: unknown, texts: TextKeeping): AskedBody<Body>;
  chat(body: Body, context: ChatContext): SearchedChat | Promise<SearchedChat>;
  teller(asked: AskedBody<Body>, search: ToldSearch): Teller;
  error(error: ErrorJson): object;
}

export type FieldNames = readonly (readonly [RegExp, string])[];

export interface Beyond {
  readonly isBeyond: boolean;
  /** Fields that shape the reply: the engine's own endpoint may honour them. */
  readonly passed: readonly string[];
  /** Set if the body offers functions: the model's settings may allow a search for this turn. */
  readonly turn?: AskedTurn | undefined;
  readonly shape?: () => { readonly schema: JsonSchema } | undefined;
  readonly stop?: unknown;
}

export interface AskedBody<Body = unknown> {
  readonly body: Body;
  readonly stream: boolean;
  readonly background?: boolean;
  /** Clients may read it again, so it is sent from the journal only. */
  readonly stored?: boolean;
  readonly ignored: readonly string[];
}

export interface ChatContext {
  readonly journal: Pick<Journal, 'find'>;
  readonly caller: Caller;
  readonly limits: LimitsConfig;
}

export interface SearchedChat {
  readonly chat: ChatBody;
  readonly kept: Plain;
}

export interface ToldSearch {
  readonly facts: {
    readonly id: string;
    readonly plan: SearchPlan;
    readonly createdMs: number;
    readonly background: boolean;
    readonly escalatedFrom: string | null;
  };
  readonly state: SearchState;
  readonly fold: SearchFold;
  readonly last: ToldSearch;
}

/** Writes one search to one client. Sent text is never taken back. */
export interface Teller {
  begin(): StreamFrame[];
  /** Frames that an entry makes certain. Absent if nothing is certain before the end. */
  event?(entry: LoggedEvent): StreamFrame[];
  /** Absent if tokens are not streamed. */
  token?(token: Token): StreamFrame[];
  /** Called with the ended successor, before `end`. Absent if `ToldSearch.last` is enough. */
  takeOver?(search: ToldSearch): StreamFrame[];
  end(end: ToldEnd): StreamFrame[];
  /** The whole reply; `event` must have seen the log before. */
  answer(end: ToldEnd): unknown;
  /** Comment, and the frames after it, for a stream that has been silent. */
  heartbeat?(): string;
  silence?(): StreamFrame[];
}

/** An event as it is sent, in an API whose events have types. */
export interface TypedEvent {
  readonly type: string;
  readonly [field: string]: unknown;
}

export interface StreamFrame {
  readonly event?: string;
  readonly data: object | '[DONE]';
  readonly sequence?: number;
}
