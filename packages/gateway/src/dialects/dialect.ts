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

export interface InboundDialect<Body = unknown> {
  /** Where its requests are sent; an engine's own endpoint for what is passed through has the same path. */
  readonly path: `/v1/${string}`;
  /** What its bodies call the fields of a chat, in refusals. */
  readonly fieldNames: FieldNames;
  /** What a body asks for that no search can do. Reads what nothing has checked yet. */
  beyond(body: Plain): Beyond;
  /** What is asked; a body that is wrong is refused under the names of its own fields. */
  read(value: unknown, texts: TextKeeping): AskedBody<Body>;
  /** The chat that is searched for it, with what was said before it. */
  chat(body: Body, desk: Desk): SearchedChat | Promise<SearchedChat>;
  teller(asked: AskedBody<Body>, search: ToldSearch): Teller;
  error(error: ErrorJson): object;
}

export type FieldNames = readonly (readonly [RegExp, string])[];

export interface Beyond {
  readonly isBeyond: boolean;
  /** Fields that shape the reply: the engine's own endpoint may honour what a search does not. */
  readonly passed: readonly string[];
  /** Reads the shape that its answer is to have; throws where it is none. */
  readonly shape?: () => { readonly schema: JsonSchema } | undefined;
  readonly stop?: unknown;
}

export interface AskedBody<Body = unknown> {
  readonly body: Body;
  readonly stream: boolean;
  readonly background?: boolean;
  /** Clients may read it again: all that is told of it comes from the journal. */
  readonly stored?: boolean;
  /** Fields that were taken and change nothing, by name. */
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

/** What tellers know of a search: one that runs here, or one that was read back from its log. */
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
  /** Itself, or the search that went on where it was futile. */
  readonly last: ToldSearch;
}

/** One search in the words of one client. What was given out is never taken back. */
export interface Teller {
  begin(): StreamFrame[];
  /** What an entry of the log makes certain. Missing where nothing is certain before the end. */
  event?(entry: LoggedEvent): StreamFrame[];
  /** The same of a token; where it is missing, no tokens are sent on. */
  token?(token: Token): StreamFrame[];
  /** The search that took over, when it has ended: told before the end. Missing where `ToldSearch.last` is enough. */
  takeOver?(search: ToldSearch): StreamFrame[];
  end(end: ToldEnd): StreamFrame[];
  /** The whole reply, of a search that has followed `event` where there is one. */
  answer(end: ToldEnd): unknown;
  heartbeat?(): string;
}

export interface StreamFrame {
  readonly event?: string;
  readonly data: object | '[DONE]';
  readonly sequence?: number;
}
