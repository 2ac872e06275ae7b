// Whether the searches of each model are still like those that its calibration was made from: a warning when they no longer are, and a
// metric. Only searches that a calibration has set something for are counted, and only those that ended by themselves.

import { Gauge, type Registry } from 'prom-client';
import type { OpenModel } from '../../answering/open-model.ts';
import { type CalibrationFile, type CalibrationSection, sectionsFor } from '../../calibration/calibration-file.ts';
import { DriftMeter } from '../../calibration/drift.ts';
import type { ExitKind } from '../../log/end.ts';
import type { Log } from './log.ts';
import type { ObservedEnd, ObservedSearch } from './observed.ts';

/** The exit by which a section ends searches. */
const exitOf: Readonly<Record<CalibrationSection['kind'], ExitKind>> = { certain: 'certain', hazard: 'settled' };
/** What ended for reasons of its own says nothing about a rule. */
const others: readonly ExitKind[] = ['cancelled', 'failed', 'deadline'];

interface Watched {
  readonly model: string;
  readonly section: CalibrationSection;
  readonly meter: DriftMeter;
  isDrifted: boolean;
}

export class CalibrationWatch {
  readonly #calibrations: ReadonlyMap<string, CalibrationFile>;
  readonly #watched: readonly Watched[];
  readonly #log: Log;

  constructor(models: readonly OpenModel[], log: Log) {
    this.#log = log;
    this.#calibrations = new Map(
      models.flatMap(({ config, calibration }) => (calibration === undefined ? [] : [[config.name, calibration]])),
    );
    this.#watched = Array.from(this.#calibrations, ([model, { sections }]) =>
      sections.map((section) => ({ model, section, meter: new DriftMeter(section), isDrifted: false })),
    ).flat();
  }

  ended({ facts: { plan } }: Pick<ObservedSearch, 'facts'>, { result }: Pick<ObservedEnd, 'result'>): void {
    const calibration = this.#calibrations.get(plan.model);
    if (result === undefined || calibration === undefined || plan.calibrated === undefined) return;
    const { exit, tokens } = result.outcome;
    if (others.includes(exit.kind)) return;
    const { program, programOptions: options, branching, choose, rollouts } = plan;
    const holding = sectionsFor(calibration, { program, options, branching, choose, rollouts }, {});
    const { committed = 0, discarded = 0, speculative = 0 } = tokens;
    const generated = committed + discarded + speculative;
    for (const watched of this.#watched) {
      const { section, meter } = watched;
      if (!holding.includes(section) || !plan.calibrated.includes(section.kind)) continue;
      meter.ended({ fired: exit.kind === exitOf[section.kind], tokens: generated });
      this.#warn(watched);
    }
  }

  #warn(watched: Watched): void {
    const { model, section, meter } = watched;
    const { drifted, ...reading } = meter.reading;
    if (drifted === watched.isDrifted) return;
    watched.isDrifted = drifted;
    const { program, rollouts } = section.search;
    const facts = { model, section: section.kind, program, rollouts, ...reading };
    if (drifted) this.#log.warn('calibration-drift', { ...facts, remedy: 'run coppice calibrate again' });
    else this.#log.info('calibration-drift-over', facts);
  }

  addMetrics(registry: Registry): void {
    const watched = this.#watched;
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
