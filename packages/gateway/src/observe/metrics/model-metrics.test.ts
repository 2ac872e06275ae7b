import { Registry } from 'prom-client';
import { expect, it } from 'vitest';
import type { ServedModel } from '../../models/served-model.ts';
import { addModelMetrics } from './model-metrics.ts';

/** An idle model, apart from what the test sets. */
function model(name: string, more: object): ServedModel {
  const runtime = {
    leasesTaken: 0,
    ours: { answers: 0, ms: 0 },
    waiting: new Set(),
    queueAgeMs: 0,
    queue: { budget: 8, wantedStrands: 0, backWaitMs: 0 },
  };
  const engine = { load: () => ({ runningSequences: 0, waitingSequences: 0 }) };
  return { name, healthy: true, runtime, engine, ...more } as unknown as ServedModel;
}

async function valuesOf(models: readonly ServedModel[]): Promise<string[]> {
  const registry = new Registry();
  addModelMetrics(registry, () => models);
  return (await registry.metrics()).split('\n');
}

it('reports what an autoscaler reads: strands wanted, the age of the queue, replicas and their list', async () => {
  const runtime = {
    leasesTaken: 8,
    ours: { answers: 0, ms: 0 },
    waiting: new Set(['a']),
    queueAgeMs: 1500,
    queue: { budget: 8, wantedStrands: 20, backWaitMs: 0 },
  };
  const load = {
    runningSequences: 0,
    waitingSequences: 0,
    replicas: { up: 2, out: 1, leaving: 1 },
    listHealthy: false,
  };
  const values = await valuesOf([model('listed', { runtime, engine: { load: () => load } }), model('local', {})]);
  expect(values.filter((line) => /^coppice_(wanted|queue_age|replica)/.test(line))).toEqual([
    'coppice_wanted_strands{model="listed"} 20',
    'coppice_wanted_strands{model="local"} 0',
    'coppice_queue_age_seconds{model="listed"} 1.5',
    'coppice_queue_age_seconds{model="local"} 0',
    'coppice_replicas{model="listed",state="up"} 2',
    'coppice_replicas{model="listed",state="out"} 1',
    'coppice_replicas{model="listed",state="leaving"} 1',
    'coppice_replica_list_healthy{model="listed"} 0',
  ]);
});

it('reports where the time between two steps goes, and which share of the strands runs at the servers', async () => {
  const runtime = {
    leasesTaken: 64,
    waiting: new Set(),
    queueAgeMs: 0,
    queue: { budget: 64, wantedStrands: 0, backWaitMs: 0 },
    ours: { answers: 20, ms: 50 },
  };
  const running = { runningSequences: 60, waitingSequences: 4 };
  const times = { answers: 20, heldMs: 2000, servedMs: 40_000 };
  const load = { ...running, atServers: 16, times, queuedMs: 500, computedMs: 30_000 };
  const values = await valuesOf([
    model('remote', { runtime, engine: { load: () => load } }),
    model('embedded', { runtime, engine: { load: () => running } }),
  ]);
  expect(values.filter((line) => /^coppice_(answer|strands_at)/.test(line))).toEqual([
    'coppice_strands_at_server_ratio{model="remote"} 0.25',
    'coppice_strands_at_server_ratio{model="embedded"} 0.9375',
    'coppice_answers_total{model="remote"} 20',
    'coppice_answers_total{model="embedded"} 20',
    'coppice_answer_seconds_total{model="remote",part="ours"} 0.05',
    'coppice_answer_seconds_total{model="remote",part="held"} 2',
    'coppice_answer_seconds_total{model="remote",part="served"} 40',
    'coppice_answer_seconds_total{model="remote",part="queue"} 0.5',
    'coppice_answer_seconds_total{model="remote",part="compute"} 30',
    'coppice_answer_seconds_total{model="embedded",part="ours"} 0.05',
  ]);
});
