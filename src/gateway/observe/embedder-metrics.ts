// Metrics of embedders, for models that have one.

import type { Registry } from 'prom-client';
import type { EmbedderLoad } from '../../embedder/embedder.ts';
import type { ObservedModel } from './observed.ts';
import { ReadMetrics } from './read-metrics.ts';

export function addEmbedderMetrics(registry: Registry, models: () => Iterable<ObservedModel>): void {
  const metrics = new ReadMetrics(registry, ['model'], () => embedding(models()));
  metrics.gauge('embedder_healthy', '1 while the embedder gives vectors', ({ healthy }) => (healthy ? 1 : 0));
  metrics.gauge('embedder_waiting', 'Answers that wait for their vectors', ({ waiting }) => waiting);
  metrics.count('embedder_texts', 'Answers that were to be embedded', ({ texts }) => texts);
  const failed = 'Those of them that got no vector, and are compared by their words';
  metrics.count('embedder_failed', failed, (load) => load.failed);
}

function* embedding(models: Iterable<ObservedModel>): Generator<[{ model: string }, EmbedderLoad]> {
  for (const { name, embedder } of models) if (embedder !== undefined) yield [{ model: name }, embedder.load()];
}
