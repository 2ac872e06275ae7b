// Whether the searches of each model are still like those that its calibration was made from: a warning when they no longer are, a
// metric, and an end of its use where their rewards are not. Only searches that a calibration has set something for are counted, and only those that ended by themselves.

import type { Registry } from 'prom-client';
import type { OpenModel } from '../../../answering/models/open-model.ts';
import { rewardsOf } from '../../../calibration/rewards-seen.ts';
import { SectionWatch, type WatchedSection } from '../../../calibration/section-watch.ts';
import type { Ended, LiveSearch } from '../../searches/live-search.ts';
import type { Log } from '../log.ts';
import { ReadMetrics } from './read-metrics.ts';

type WatchedSearch = Pick<LiveSearch, 'facts' | 'fold'>;

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

  ended({ facts: { plan }, fold }: WatchedSearch, { result }: Pick<Ended, 'result'>): void {
    if (result === undefined) return;
    const { exit, usage } = result.outcome;
    const rewards = fold?.tree && rewardsOf(fold.tree, plan.threshold);
    const watch = this.#watches.get(plan.model);
    for (const watched of watch?.ended(plan, { exit: exit.kind, tokens: usage.completion_tokens, rewards }) ?? []) {
      this.#warn(plan.model, watched);
      if (watched.meter.reading.strange)
        this.#log.warn('calibration-refused', { model: plan.model, reason: watch?.refuse(watched) });
    }
  }

  #warn(model: string, watched: WatchedSection): void {
    const { section, meter } = watched;
    const { drifted, enough, strange, ...reading } = meter.reading;
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
    const metrics = new ReadMetrics(registry, ['model', 'section', 'program'], () =>
      watched.map(({ model, section, meter }) => {
        return [{ model, section: section.kind, program: section.search.program }, meter.reading] as const;
      }),
    );
    const searches = 'Of the last ones that a calibration has set something for';
    metrics.gauge('calibration_searches', searches, (reading) => reading.searches);
    metrics.gauge('calibration_fired_ratio', 'Share of those that its rule ended', ({ firedShare }) => firedShare);
    metrics.gauge('calibration_drift_errors', 'Standard errors from what it expects', ({ errors }) => errors);
    const drifted = '1 while they are not like those it was made from';
    metrics.gauge('calibration_drifted', drifted, (reading) => (reading.drifted ? 1 : 0));
  }
}
