// Metrics of embedders, for models that have one: the counts are their own, and are read when somebody asks.

import { Counter, Gauge, type Registry } from 'prom-client';
import type { EmbedderLoad } from '../../embedder/embedder.ts';
import type { ObservedModel } from './observed.ts';

export function addEmbedderMetrics(registry: Registry, models: () => Iterable<ObservedModel>): void {
  const shared = { labelNames: ['model'] as const, registers: [registry] };
  const read = (set: (model: string, load: EmbedderLoad) => void) => {
    for (const { name, embedder } of models()) if (embedder !== undefined) set(name, embedder.load());
  };
  const gauge = (name: string, help: string, of: (load: EmbedderLoad) => number) =>
    new Gauge({
      ...{ name: `coppice_${name}`, help, ...shared },
      collect() {
        read((model, load) => this.set({ model }, of(load)));
      },
    });
  const count = (name: string, help: string, of: (load: EmbedderLoad) => number) =>
    new Counter({
      ...{ name: `coppice_${name}_total`, help, ...shared },
      collect() {
        this.reset();
        read((model, load) => this.inc({ model }, of(load)));
      },
    });
  gauge('embedder_healthy', '1 while the embedder gives vectors', ({ healthy }) => (healthy ? 1 : 0));
  gauge('embedder_waiting', 'Answers that wait for their vectors', ({ waiting }) => waiting);
  count('embedder_texts', 'Answers that were to be embedded', ({ texts }) => texts);
  count('embedder_failed', 'Those of them that got no vector, and are compared by their words', ({ failed }) => failed);
}
