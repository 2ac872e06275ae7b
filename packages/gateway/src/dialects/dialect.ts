// The contract of an API that clients speak: what a body asks for, and how a search is told, whole, as a stream or as an error. A dialect
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
  /** Names what no search can do. The body is unchecked. */
  beyond(body: Plain): Beyond;
  /** Refuses a wrong body under the names of its own fields. */
  read(value: unknown, texts: TextKeeping): AskedBody<Body>;
  chat(body: Body, desk: Desk): SearchedChat | Promise<SearchedChat>;
  teller(asked: AskedBody<Body>, search: ToldSearch): Teller;
  error(error: ErrorJson): object;
}

export type FieldNames = readonly (readonly [RegExp, string])[];

export interface Beyond {
  readonly isBeyond: boolean;
  /** Fields that shape the reply: the engine's own endpoint may honour them. */
  readonly passed: readonly string[];
  /** It offers functions: its model may have its turns searched. */
  readonly turn?: AskedTurn | undefined;
  readonly shape?: () => { readonly schema: JsonSchema } | undefined;
  readonly stop?: unknown;
}

export interface AskedBody<Body = unknown> {
  readonly body: Body;
  readonly stream: boolean;
  readonly background?: boolean;
  /** Clients may read it again: it is told from the journal only. */
  readonly stored?: boolean;
  readonly ignored: readonly string[];
}

export interface Desk {
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

/** Tells one search to one client. Sent text is never taken back. */
export interface Teller {
  begin(): StreamFrame[];
  /** Frames that an entry makes certain. Absent if nothing is certain before the end. */
  event?(entry: LoggedEvent): StreamFrame[];
  /** Absent if no tokens are sent on. */
  token?(token: Token): StreamFrame[];
  /** The ended successor, before the end. Absent if `ToldSearch.last` is enough. */
  takeOver?(search: ToldSearch): StreamFrame[];
  end(end: ToldEnd): StreamFrame[];
  /** The whole reply; `event` must have seen the log before. */
  answer(end: ToldEnd): unknown;
  /** Comment of a stream that has been silent, and frames behind it. */
  heartbeat?(): string;
  silence?(): StreamFrame[];
}

export interface StreamFrame {
  readonly event?: string;
  readonly data: object | '[DONE]';
  readonly sequence?: number;
}
