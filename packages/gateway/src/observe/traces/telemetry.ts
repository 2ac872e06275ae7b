// Traces by OpenTelemetry's conventions for generative AI (gen_ai.*), if an endpoint is configured. A request is a server span, its search
// a child of it. Contains no text unless configured.

import { randomBytes } from 'node:crypto';
import type { Config } from '@coppice/core/config';
import type { Exchange, TraceContext } from '../../http/exchange.ts';
import type { Ended, LiveSearch } from '../../searches/live-search.ts';
import type { ResultFacts } from '../../wire/result-json.ts';
import type { Log } from '../log.ts';
import type { Attributes } from './otlp.ts';
import { type SpanCounts, SpanSender } from './span-sender.ts';

export interface Telemetry {
  trace(exchange: Exchange, route: string, run: () => Promise<void>): Promise<void>;
  ended(search: LiveSearch, ended: Ended): void;
  readonly counts: SpanCounts;
  close(): Promise<void>;
}

export const noTelemetry: Telemetry = {
  counts: { sent: 0, dropped: 0 },
  trace: (_exchange, _route, run) => run(),
  ended: () => {},
  close: async () => {},
};

export function createTelemetry(
  { endpoint }: Pick<Config['telemetry'], 'endpoint'>,
  environment: Readonly<Record<string, string | undefined>>,
  log: Log,
): Telemetry {
  if (endpoint === undefined) return noTelemetry;
  const url = `${endpoint.replace(/\/+$/, '')}/v1/traces`;
  return new Tracer(new SpanSender({ url, headers: headersOf(environment[headersEnv]), log }));
}

class Tracer implements Telemetry {
  readonly #sender: SpanSender;

  constructor(sender: SpanSender) {
    this.#sender = sender;
  }

  get counts(): SpanCounts {
    return this.#sender.counts;
  }

  async trace(exchange: Exchange, route: string, run: () => Promise<void>): Promise<void> {
    const trace = this.#begin(exchange.request.headers.traceparent);
    if (trace === undefined || !route.startsWith('/v1/')) return run();
    const startMs = Date.now();
    const method = exchange.request.method ?? 'GET';
    exchange.trace = trace;
    try {
      await run();
    } finally {
      const status = exchange.response.statusCode;
      const attributes = { 'http.request.method': method, 'http.route': route, 'http.response.status_code': status };
      this.#sender.add({
        ...trace,
        name: `${method} ${route}`,
        kind: 2,
        startMs,
        endMs: Date.now(),
        attributes,
        error: status >= 500 ? `status ${status}` : undefined,
      });
    }
  }

  ended(search: LiveSearch, { result, endedMs, error }: Ended): void {
    const parent = search.facts.trace;
    const trace = parent ?? this.#begin(undefined);
    if (trace === undefined) return;
    const { plan, createdMs } = search.facts;
    const attributes = {
      ...requestAttributes(search),
      ...(result && resultAttributes(search, result.outcome)),
    };
    this.#sender.add({
      traceId: trace.traceId,
      spanId: newId(8),
      parentSpanId: parent?.spanId,
      name: `chat ${plan.model}`,
      kind: 1,
      startMs: createdMs,
      endMs: endedMs,
      attributes,
      error: error?.code,
    });
  }

  close(): Promise<void> {
    return this.#sender.close();
  }

  /** Continues the client's trace (W3C `traceparent`), or begins one: sampling is the collector's. */
  #begin(traceparent: string | string[] | undefined): TraceContext | undefined {
    const parent = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/.exec(String(traceparent ?? ''));
    if (parent !== null) {
      const [, traceId = '', parentSpanId = '', flags = '00'] = parent;
      const isSampled = (Number.parseInt(flags, 16) & 1) === 1;
      return isSampled ? { traceId, parentSpanId, spanId: newId(8) } : undefined;
    }
    return { traceId: newId(16), parentSpanId: undefined, spanId: newId(8) };
  }
}

function requestAttributes({ facts }: LiveSearch): Attributes {
  const { plan, id } = facts;
  return {
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': 'coppice',
    'gen_ai.request.model': plan.model,
    'gen_ai.response.model': plan.model,
    'gen_ai.response.id': id,
    'gen_ai.request.temperature': plan.sampling.temperature,
    'gen_ai.request.top_p': plan.sampling.topP,
    'gen_ai.request.top_k': plan.sampling.topK,
    'gen_ai.request.max_tokens': plan.maxTokens,
    'gen_ai.request.seed': plan.seed,
    'coppice.program': plan.program,
    'coppice.policy': plan.policy,
    'coppice.background': facts.background,
  };
}

function resultAttributes(search: LiveSearch, outcome: ResultFacts): Attributes {
  const { usage, exit, rollouts, nodes, score, finish_reason, queue_ms } = outcome;
  return {
    'gen_ai.usage.input_tokens': usage.prompt_tokens,
    'gen_ai.usage.output_tokens': usage.completion_tokens,
    'gen_ai.response.finish_reasons': [finish_reason],
    'coppice.exit': exit.kind,
    'coppice.exit.rule': exit.rule,
    'coppice.rollouts': rollouts,
    'coppice.nodes': nodes,
    'coppice.score': score ?? undefined,
    'coppice.queue_ms': queue_ms ?? undefined,
    'coppice.epoch': search.epoch,
  };
}

function newId(bytes: number): string {
  return randomBytes(bytes).toString('hex');
}

const headersEnv = 'OTEL_EXPORTER_OTLP_HEADERS';

function headersOf(text: string | undefined): Record<string, string> {
  if (text === undefined || text.trim() === '') return {};
  return Object.fromEntries(
    text.split(',').map((pair) => [pair.slice(0, pair.indexOf('=')).trim(), pair.slice(pair.indexOf('=') + 1).trim()]),
  );
}
