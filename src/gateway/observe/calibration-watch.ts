// Whether the searches of each model are still like those that its calibration was made from: a warning when they no longer are, and a
// metric. Only searches that a calibration has set something for are counted, and only those that ended by themselves.

import { Gauge, type Registry } from 'prom-client';
import type { OpenModel } from '../../answering/open-model.ts';
import type { DriftMeter } from '../../calibration/drift.ts';
import { SectionWatch, type WatchedSection } from '../../calibration/section-watch.ts';
import type { Log } from './log.ts';
import type { ObservedEnd, ObservedSearch } from './observed.ts';

export class CalibrationWatch {
  readonly #watches: ReadonlyMap<string, SectionWatch>;
  /** Of which a warning has been given, and not taken back. */
  readonly #drifted = new Set<WatchedSection>();
  readonly #log: Log;

  constructor(models: readonly OpenModel[], log: Log) {
    this.#log = log;
    this.#watches = new Map(
      models.flatMap(({ config, calibration }) =>
        calibration === undefined ? [] : [[config.name, new SectionWatch(calibration)]],
      ),
    );
  }

  ended({ facts: { plan } }: Pick<ObservedSearch, 'facts'>, { result }: Pick<ObservedEnd, 'result'>): void {
    if (result === undefined) return;
    const { exit, tokens } = result.outcome;
    const { committed = 0, discarded = 0, speculative = 0 } = tokens;
    const end = { exit: exit.kind, tokens: committed + discarded + speculative };
    for (const watched of this.#watches.get(plan.model)?.ended(plan, end) ?? []) this.#warn(plan.model, watched);
  }

  #warn(model: string, watched: WatchedSection): void {
    const { section, meter } = watched;
    const { drifted, enough, ...reading } = meter.reading;
    if (drifted === this.#drifted.has(watched)) return;
    const { program, rollouts } = section.search;
    const facts = { model, section: section.kind, program, rollouts, ...reading };
    if (drifted) {
      this.#drifted.add(watched);
      this.#log.warn('calibration-drift', { ...facts, remedy: 'run coppice calibrate again' });
    } else {
      this.#drifted.delete(watched);
      this.#log.info('calibration-drift-over', facts);
    }
  }

  addMetrics(registry: Registry): void {
    const watched = Array.from(this.#watches, ([model, { sections }]) =>
      sections.map((each) => ({ model, ...each })),
    ).flat();
    if (watched.length === 0) return;
    const labelNames = ['model', 'section', 'program'] as const;
    const gauge = (name: string, help: string, read: (each: DriftMeter) => number) =>
      new Gauge({
        ...{ name: `coppice_calibration_${name}`, help, labelNames, registers: [registry] },
        collect() {
          for (const { model, section, meter } of watched) {
            this.set({ model, section: section.kind, program: section.search.program }, read(meter));
          }
        },
      });
    gauge('searches', 'Of the last ones that a calibration has set something for', ({ reading }) => reading.searches);
    gauge('fired_ratio', 'Share of those that its rule ended', ({ reading }) => reading.firedShare);
    gauge('drift_errors', 'Standard errors from what it expects', ({ reading }) => reading.errors);
    gauge('drifted', '1 while they are not like those it was made from', ({ reading }) => (reading.drifted ? 1 : 0));
  }
}
