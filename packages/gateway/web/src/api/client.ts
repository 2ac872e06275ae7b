// Talks to `coppice serve`, and to nothing else. The key stays in this tab's session storage and goes out as a header only. Addresses are
// relative to the page, so that a proxy may put it below any prefix.

import type { HistoryJson, HistoryRange } from '../../../src/wire/history-json.ts';
import type { SearchJson, WholeSearchJson } from '../../../src/wire/search-json.ts';
import type { ExampleJson, ModelJson } from '../../../src/wire/server-json.ts';
import { ServerEventParser, type ServerMessage } from './server-events.ts';

const keyName = 'coppice.key';

export class RequestError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

export function rememberKey(key: string): void {
  sessionStorage.setItem(keyName, key);
}

export function hasKey(): boolean {
  return sessionStorage.getItem(keyName) !== null;
}

async function request(path: string, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  const key = sessionStorage.getItem(keyName);
  if (key !== null) headers.set('authorization', `Bearer ${key}`);
  const response = await fetch(new URL(path, document.baseURI), { ...init, headers });
  if (!response.ok) throw new RequestError(response.status, await errorMessage(response));
  return response;
}

async function errorMessage(response: Response): Promise<string> {
  const body: unknown = await response.json().catch(() => undefined);
  const message = (body as { error?: { message?: unknown } } | undefined)?.error?.message;
  return typeof message === 'string' ? message : `the server answered ${response.status}`;
}

async function getList<Item>(path: string): Promise<readonly Item[]> {
  const body = (await (await request(path)).json()) as { data?: readonly Item[] };
  return body.data ?? [];
}

export const listExamples = () => getList<ExampleJson>('v1/examples');
export const listModels = () => getList<ModelJson>('v1/models');
export const listRecent = (limit: number) =>
  getList<SearchJson>(`v1/searches?state=done,failed,cancelled&limit=${limit}`);

export const listSession = (session: string, limit: number) =>
  getList<SearchJson>(`v1/searches?session=${encodeURIComponent(session)}&limit=${limit}`);

export async function readHistory(range: HistoryRange): Promise<HistoryJson> {
  return (await (await request(`v1/history?range=${range}`)).json()) as HistoryJson;
}

export async function readReference(): Promise<unknown> {
  return (await request('openapi.json')).json();
}

export async function readSearch(id: string): Promise<WholeSearchJson> {
  return (await (await request(`v1/searches/${encodeURIComponent(id)}`)).json()) as WholeSearchJson;
}

export async function cancelSearch(id: string): Promise<void> {
  await request(`v1/searches/${encodeURIComponent(id)}/cancel`, { method: 'POST' });
}

export interface NewQuestion {
  readonly text: string;
  readonly model: string | undefined;
  readonly effort: string;
  /** Undefined: the model's default. */
  readonly program: string | undefined;
  readonly policy: string | undefined;
}

export async function startSearch(question: NewQuestion): Promise<WholeSearchJson> {
  const { text, model, effort, program, policy } = question;
  const coppice = { ...(program && { program }), ...(policy && { policy }) };
  const body = {
    ...(model === undefined ? {} : { model }),
    messages: [{ role: 'user', content: text }],
    reasoning_effort: effort,
    background: true,
    ...(Object.keys(coppice).length > 0 && { coppice }),
  };
  const headers = { 'content-type': 'application/json' };
  const response = await request('v1/searches', { method: 'POST', headers, body: JSON.stringify(body) });
  return (await response.json()) as WholeSearchJson;
}

export interface StreamOptions {
  readonly path: string;
  readonly signal: AbortSignal;
  /** Id of the last message seen, if the stream can resume from it. */
  readonly lastId?: () => string | undefined;
  readonly onMessages: (messages: readonly ServerMessage[]) => void;
  /** True when connected, or what went wrong. */
  readonly onState: (state: true | RequestError | Error) => void;
}

const longestPauseMs = 10_000;

/** Reads a stream and reconnects after a pause that doubles, until aborted, refused, or told that all is read. */
export async function follow(options: StreamOptions): Promise<void> {
  const { signal } = options;
  for (let pauseMs = 500; !signal.aborted; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
    try {
      const ended = await readOnce(options, () => {
        pauseMs = 500;
      });
      if (ended) return;
    } catch (error) {
      if (signal.aborted) return;
      options.onState(error as Error);
      if (error instanceof RequestError && error.status < 500 && error.status !== 429) return;
    }
    await pause(pauseMs, signal);
  }
}

async function readOnce({ path, signal, lastId, onMessages, onState }: StreamOptions, onRead: () => void) {
  const id = lastId?.();
  const headers: Record<string, string> = id === undefined ? {} : { 'last-event-id': id };
  const response = await request(path, { signal, headers });
  if (response.status === 204 || response.body === null) return true;
  onState(true);
  const parser = new ServerEventParser();
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  for (let ended = false; ; ) {
    const { done, value } = await reader.read();
    if (done) return ended;
    onRead();
    const messages = parser.push(value);
    ended ||= messages.some(({ event }) => event === 'end');
    if (messages.length > 0) onMessages(messages);
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
