// A server's load, from its Prometheus page. Reads as much of the text format as these servers write.

import type { DialectName } from './dialect.ts';

export interface Gauges {
  readonly running: number | undefined;
  readonly waiting: number | undefined;
  /** Filled part, 0 to 1. */
  readonly kvUse: number | undefined;
  /** Sequences thrown out of the KV cache since the server started. */
  readonly preemptions: number | undefined;
  /** Of all answers since it started: the time in its queue, and in its batch. */
  readonly queuedSeconds?: number | undefined;
  readonly computedSeconds?: number | undefined;
}

const names: Readonly<Record<DialectName, Readonly<Partial<Record<keyof Gauges, readonly string[]>>>>> = {
  vllm: {
    running: ['vllm:num_requests_running'],
    waiting: ['vllm:num_requests_waiting'],
    kvUse: ['vllm:kv_cache_usage_perc', 'vllm:gpu_cache_usage_perc'],
    preemptions: ['vllm:num_preemptions_total'],
    queuedSeconds: ['vllm:request_queue_time_seconds_sum'],
    computedSeconds: ['vllm:request_inference_time_seconds_sum'],
  },
  sglang: {
    running: ['sglang:num_running_reqs'],
    waiting: ['sglang:num_queue_reqs'],
    kvUse: ['sglang:token_usage'],
    preemptions: ['sglang:num_retracted_requests_total'],
  },
  'llama-server': {
    running: ['llamacpp:requests_processing'],
    waiting: ['llamacpp:requests_deferred'],
  },
  openai: {},
};

export function readGauges(dialect: DialectName, page: string): Gauges {
  const { metrics, largest } = parseMetrics(page);
  const read = (gauge: keyof Gauges): number | undefined =>
    names[dialect][gauge]?.map((name) => metrics.get(name)).find((value) => value !== undefined);
  return {
    running: read('running'),
    waiting: read('waiting'),
    // The fullest of several engines: they lend each other no room.
    kvUse: names[dialect].kvUse?.map((name) => largest.get(name)).find((value) => value !== undefined),
    preemptions: read('preemptions'),
    queuedSeconds: read('queuedSeconds'),
    computedSeconds: read('computedSeconds'),
  };
}

/** Samples by name: the sum over labels (engines of one server), and the largest. */
function parseMetrics(page: string): Record<'metrics' | 'largest', ReadonlyMap<string, number>> {
  const metrics = new Map<string, number>();
  const largest = new Map<string, number>();
  for (const line of page.split('\n')) {
    const match = /^([a-zA-Z_:][\w:]*)(\{.*\})?\s+(\S+)/.exec(line);
    const value = match === null ? Number.NaN : Number(match[3]);
    if (match === null || !Number.isFinite(value)) continue;
    const name = match[1]!;
    metrics.set(name, (metrics.get(name) ?? 0) + value);
    largest.set(name, Math.max(largest.get(name) ?? value, value));
  }
  return { metrics, largest };
}
