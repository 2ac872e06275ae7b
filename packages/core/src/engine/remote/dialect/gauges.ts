// A server's load, from its Prometheus page. Reads as much of the text format as these servers write.

import type { DialectName } from './dialect.ts';

export interface Gauges {
  readonly running: number | undefined;
  readonly waiting: number | undefined;
  /** Filled part, 0 to 1. */
  readonly kvUse: number | undefined;
  /** Sequences thrown out of the KV cache since the server started. */
  readonly preemptions: number | undefined;
  /** Time of all answers since the server started: in its queue, and in its batch. */
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
  const samples = samplesOf(page);
  const read = (gauge: keyof Gauges): readonly number[] | undefined =>
    names[dialect][gauge]?.map((name) => samples.get(name)).find((values) => values !== undefined);
  const sum = (gauge: keyof Gauges) => read(gauge)?.reduce((all, value) => all + value, 0);
  const kvUses = read('kvUse');
  return {
    running: sum('running'),
    waiting: sum('waiting'),
    // The fullest of several engines: they lend each other no room.
    kvUse: kvUses?.reduce((fullest, each) => Math.max(fullest, each)),
    preemptions: sum('preemptions'),
    queuedSeconds: sum('queuedSeconds'),
    computedSeconds: sum('computedSeconds'),
  };
}

/** Maps a name to its values, one for each engine of the server. */
function samplesOf(page: string): ReadonlyMap<string, readonly number[]> {
  const samples = new Map<string, number[]>();
  for (const line of page.split('\n')) {
    const match = /^([a-zA-Z_:][\w:]*)(\{.*\})?\s+(\S+)/.exec(line);
    const value = match === null ? Number.NaN : Number(match[3]);
    if (match === null || !Number.isFinite(value)) continue;
    const values = samples.get(match[1]!);
    if (values === undefined) samples.set(match[1]!, [value]);
    else values.push(value);
  }
  return samples;
}

/** Engines behind one address, as vLLM labels its gauges with them. */
export function ranksOn(metrics: string): number {
  const lines = metrics.split('\n').filter((line) => line.startsWith('vllm:num_requests_running{'));
  return new Set(lines.flatMap((line) => /engine="(\d+)"/.exec(line)?.[1] ?? [])).size || 1;
}
