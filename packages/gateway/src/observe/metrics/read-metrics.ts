// Reads metrics from their sources whenever /metrics is read; keeps no counts.

import { Counter, Gauge, type Registry } from 'prom-client';

type LabelledSources<Label extends string, Source> = () => Iterable<readonly [Readonly<Record<Label, string>>, Source]>;

export class ReadMetrics<Label extends string, Source> {
  readonly #registry: Registry;
  readonly #labelNames: readonly Label[];
  readonly #sources: LabelledSources<Label, Source>;

  constructor(registry: Registry, labelNames: readonly Label[], sources: LabelledSources<Label, Source>) {
    this.#registry = registry;
    this.#labelNames = labelNames;
    this.#sources = sources;
  }

  gauge(name: string, help: string, read: (source: Source) => number): void {
    const sources = this.#sources;
    new Gauge({
      ...this.#described(name, help),
      collect() {
        for (const [labels, source] of sources()) this.set(labels, read(source));
      },
    });
  }

  count(name: string, help: string, read: (source: Source) => number): void {
    const sources = this.#sources;
    new Counter({
      ...this.#described(`${name}_total`, help),
      collect() {
        this.reset();
        for (const [labels, source] of sources()) this.inc(labels, read(source));
      },
    });
  }

  #described(name: string, help: string) {
    return { name: `coppice_${name}`, help, labelNames: this.#labelNames, registers: [this.#registry] };
  }
}
