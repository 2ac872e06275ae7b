// Metrics of the served models.

import type { Registry } from 'prom-client';
import type { ServedModel } from '../../models/served-model.ts';
import { ReadMetrics } from './read-metrics.ts';

type Models = () => Iterable<ServedModel>;

export function addModelMetrics(registry: Registry, models: Models): void {
  addServing(registry, models);
  addAnswerTimes(registry, models);
  addScaling(registry, models);
  addEmbedding(registry, models);
  addJudging(registry, models);
}

function perModel<Source>(registry: Registry, models: Models, read: (model: ServedModel) => Source | undefined) {
  return new ReadMetrics(registry, ['model'], () =>
    Array.from(models()).flatMap((model): [{ model: string }, Source][] => {
      const source = read(model);
      return source === undefined ? [] : [[{ model: model.name }, source]];
    }),
  );
}

function addServing(registry: Registry, models: Models): void {
  const queue = perModel(registry, models, ({ runtime }) => runtime);
  queue.gauge('waiting_searches', 'Searches that wait for their turn', ({ waiting }) => waiting.size);
  const forecast = 'Forecast for a search at the end of the line';
  queue.gauge('expected_wait_seconds', forecast, (runtime) => runtime.queue.backWaitMs / 1000);
  const service = 'Median time from admission to end, lately';
  queue.gauge('service_seconds', service, (runtime) => (runtime.queue.pace?.medianMs ?? 0) / 1000);
  queue.gauge('budget_strands', 'M: strands that may be open', (runtime) => runtime.queue.budget);
  queue.gauge('open_strands', 'Strands that are open, both lanes', ({ leasesTaken }) => leasesTaken);
  const all = perModel(registry, models, (model) => model);
  all.gauge('engine_healthy', '1 while engine and verifier answer', ({ engine, verifier }) =>
    engine.load().healthy && verifier?.load().healthy !== false ? 1 : 0,
  );
  all.gauge('verifier_waiting_steps', 'Steps that wait to be scored', ({ verifier }) => verifier?.load().waiting ?? 0);
  const engine = perModel(registry, models, (model) => model.engine.load());
  engine.gauge('engine_running_sequences', 'Sequences in the batch', ({ runningSequences }) => runningSequences);
  const outside = 'Sequences that wait for the batch';
  engine.gauge('engine_waiting_sequences', outside, ({ waitingSequences }) => waitingSequences);
}

/** Adds up where the time between two steps of a strand goes. */
function addAnswerTimes(registry: Registry, models: Models): void {
  const all = perModel(registry, models, (model) => model);
  const share = 'Sequences that run at the servers, by the gauges of servers that have some, over open strands';
  all.gauge('strands_at_server_ratio', share, ({ engine, runtime }) => {
    const { atServers, runningSequences } = engine.load();
    return runtime.leasesTaken === 0 ? 0 : (atServers ?? runningSequences) / runtime.leasesTaken;
  });
  const answers = 'Answers of the engine that the loop has handled';
  all.count('answers', answers, ({ runtime }) => runtime.ours.answers);
  const parts = new ReadMetrics(registry, ['model', 'part'], () =>
    Array.from(models()).flatMap(({ name: model, engine, runtime }) => {
      const { times, queuedMs: queue, computedMs: compute } = engine.load();
      const spent = { ours: runtime.ours.ms, held: times?.heldMs, served: times?.servedMs, queue, compute };
      return Object.entries(spent).flatMap(([part, ms]) => (ms ? [[{ model, part }, ms] as const] : []));
    }),
  );
  const time =
    'Sums over answers: until the loop sent what follows (ours), waiting here for room (held), at the server';
  const own = '(served); of that by the clocks of the servers, over all their clients, in their queue and batch';
  parts.count('answer_seconds', `${time} ${own} (queue, compute)`, (ms) => ms / 1000);
}

/** Autoscalers read wanted strands, the age of the queue, and the servers. */
function addScaling(registry: Registry, models: Models): void {
  const queue = perModel(registry, models, ({ runtime }) => runtime);
  const wanted = 'Strands that running and waiting searches need; without batches, boosts and speculation';
  queue.gauge('wanted_strands', wanted, (runtime) => runtime.queue.wantedStrands);
  const age = 'Age of the oldest search that waits on this node';
  queue.gauge('queue_age_seconds', age, ({ queueAgeMs }) => queueAgeMs / 1000);
  const replicas = new ReadMetrics(registry, ['model', 'state'], () =>
    Array.from(models()).flatMap((model) =>
      Object.entries(model.engine.load().replicas ?? {}).map(
        ([state, count]) => [{ model: model.name, state }, count] as const,
      ),
    ),
  );
  const states = 'Servers of the engine: may get work (up), may not (out), end what they have (leaving)';
  replicas.gauge('replicas', states, (count) => count);
  const listed = perModel(registry, models, (model) => model.engine.load().listHealthy);
  const last = '1 while the list of replicas is read; 0 while those that were known last are used';
  listed.gauge('replica_list_healthy', last, (isHealthy) => (isHealthy ? 1 : 0));
}

function addEmbedding(registry: Registry, models: Models): void {
  const metrics = perModel(registry, models, ({ embedder }) => embedder?.load());
  metrics.gauge('embedder_healthy', '1 while the embedder gives vectors', ({ healthy }) => (healthy ? 1 : 0));
  metrics.count('embedder_texts', 'Answers that were to be embedded', ({ texts }) => texts);
  const failed = 'Answers that got no vector, and are compared by their words';
  metrics.count('embedder_failed_texts', failed, (load) => load.failed);
}

function addJudging(registry: Registry, models: Models): void {
  const metrics = perModel(registry, models, (model) => (model.judgement === undefined ? undefined : model));
  const share = 'Share of pairs of samples in which the verifier agrees with the vote; NaN while unknown';
  metrics.gauge('judge_agreement_ratio', share, ({ audits }) => audits.judge.agreement ?? Number.NaN);
  const power = 'Power of its odds in a vote, by its agreement or as configured; NaN while unknown';
  metrics.gauge('judge_trust_ratio', power, ({ audits, config }) => config.trust ?? audits.judge.trust ?? Number.NaN);
  const branch = "Worth of going on from another sample's middle, in fresh samples; NaN while unknown";
  metrics.gauge('judge_branching_ratio', branch, ({ audits }) => audits.judge.branching?.worth ?? Number.NaN);
  const split = 'Searches behind agreement and trust: samples disagreed and it read them, of the last 4,000';
  metrics.gauge('judge_split_searches', split, ({ audits }) => audits.judge.questions);
}
