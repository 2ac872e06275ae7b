// A gateway on a free port of loopback with a scripted engine, for one test.

import { onTestFinished } from 'vitest';
import type { OpenModel } from '../../packages/core/src/answering/models/open-model.ts';
import type { Clock } from '../../packages/core/src/base/clock.ts';
import { checkConfig, type PlainTree } from '../../packages/core/src/config/load.ts';
import type { FormQuestion } from '../../packages/core/src/config/plugin.ts';
import type { Embedder } from '../../packages/core/src/embedder/embedder.ts';
import type { Journal } from '../../packages/core/src/journal/journal.ts';
import { SqliteJournal } from '../../packages/core/src/journal/sqlite/sqlite-journal.ts';
import { Gateway } from '../../packages/gateway/src/gateway.ts';
import type { FixedLimits } from '../../packages/gateway/src/http/fixed-limits.ts';
import { createLog } from '../../packages/gateway/src/observe/log.ts';
import type { Loose } from './loose.ts';
import { ScriptedEngine, type ScriptedOptions, ScriptedVerifier } from './scripted-engine.ts';

export interface RunningOptions {
  readonly engine?: ScriptedEngine;
  readonly scripted?: ScriptedOptions;
  readonly verifier?: ScriptedVerifier | 'none';
  readonly embedder?: Embedder;
  readonly model?: PlainTree;
  readonly config?: PlainTree;
  readonly limits?: Partial<FixedLimits>;
  readonly journal?: Journal;
  readonly more?: readonly {
    readonly model: PlainTree;
    readonly engine: ScriptedEngine;
    readonly verifier?: ScriptedVerifier;
  }[];
  readonly upstream?: OpenModel['upstream'];
  readonly form?: FormQuestion;
  readonly page?: string;
  readonly clock?: Clock;
}

export interface Running {
  readonly url: string;
  readonly gateway: Gateway;
  readonly engine: ScriptedEngine;
  readonly journal: Journal;
  readonly logged: string[];
  close(): Promise<void>;
}

export const modelDefaults = {
  name: 'm',
  engine: { kind: 'sim' },
  verifier: { kind: 'sim' },
  budget: 8,
  threshold: 0.7,
};

/** A journal in memory, open until the end of the test, so that the next gateway or the test can read it. */
export function outlivingJournal(): SqliteJournal {
  const journal = new SqliteJournal({ path: ':memory:' });
  onTestFinished(journal.close.bind(journal));
  journal.close = () => journal.flush();
  return journal;
}

export async function runGateway(options: RunningOptions = {}): Promise<Running> {
  const engine = options.engine ?? new ScriptedEngine(options.scripted);
  const journal = options.journal ?? outlivingJournal();
  const models = [
    { ...modelDefaults, ...options.model },
    ...(options.more ?? []).map(({ model }) => ({ ...modelDefaults, ...model })),
  ];
  const server = { port: 0, shutdownMs: 0, ...(options.config?.server as PlainTree | undefined) };
  const config = checkConfig({ ...options.config, models, server });
  const verifier = options.verifier === 'none' ? undefined : (options.verifier ?? new ScriptedVerifier());
  const first: OpenModel = {
    config: config.models[0]!,
    engine,
    ...(verifier === undefined ? {} : { verifier }),
    ...(options.embedder === undefined ? {} : { embedder: options.embedder }),
    ...(options.upstream === undefined ? {} : { upstream: options.upstream }),
    ...(options.form === undefined ? {} : { form: options.form }),
  };
  const others = (options.more ?? []).map(
    (each, at): OpenModel => ({
      config: config.models[at + 1]!,
      engine: each.engine,
      ...(each.verifier ? { verifier: each.verifier } : {}),
    }),
  );
  const logged: string[] = [];
  const log = createLog({ level: 'debug', format: 'json', write: (line) => logged.push(line) });
  const gateway = new Gateway({
    config,
    models: [first, ...others],
    journal,
    log,
    ...(options.limits === undefined ? {} : { limits: options.limits }),
    ...(options.page === undefined ? {} : { page: options.page }),
    ...(options.clock === undefined ? {} : { clock: options.clock }),
  });
  const url = await gateway.listen();
  const close = () => gateway.close();
  onTestFinished(close);
  return { url, gateway, engine, journal, logged, close };
}

export function post(
  url: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
  signal?: AbortSignal,
): Promise<Response> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: text,
    ...(signal ? { signal } : {}),
  });
}

export const question = { model: 'm', messages: [{ role: 'user', content: 'make 24 from 4 7 8 8' }] };

/** A chat completion: the whole body, and the status. */
export async function ask(url: string, body: object): Promise<Loose> {
  const response = await post(`${url}/v1/chat/completions`, { ...question, ...body });
  return { status: response.status, ...((await response.json()) as object) };
}

export interface ServerEvent {
  readonly event?: string;
  readonly id?: string;
  readonly data?: string;
  readonly comment?: string;
}

/** The events of a stream as they arrive, comments included. */
export async function* serverEvents(response: Response): AsyncGenerator<ServerEvent> {
  let text = '';
  for await (const chunk of (response.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) {
    text += chunk;
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const block = text.slice(0, end);
      text = text.slice(end + 2);
      yield parseBlock(block);
    }
  }
}

function parseBlock(block: string): ServerEvent {
  const event: Record<string, string> = {};
  for (const line of block.split('\n')) {
    if (line.startsWith(':')) event.comment = line.slice(1).trim();
    else event[line.slice(0, line.indexOf(':'))] = line.slice(line.indexOf(':') + 1).trimStart();
  }
  return event;
}
