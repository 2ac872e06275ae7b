// Metrics of draft models, for engines that were tried with one: the counts are the engine's own, and are read when somebody asks.

import { Counter, Gauge, type Registry } from 'prom-client';
import type { DraftRecord } from '../../engine/engine.ts';
import type { ObservedModel } from './observed.ts';

export function addDraftMetrics(registry: Registry, models: () => Iterable<ObservedModel>): void {
  const shared = { labelNames: ['model'] as const, registers: [registry] };
  const read = (set: (model: string, drafting: DraftRecord) => void) => {
    for (const { name, engine } of models()) {
      const { drafting } = engine.load();
      if (drafting !== undefined) set(name, drafting);
    }
  };
  const gauge = (name: string, help: string, of: (drafting: DraftRecord) => number) =>
    new Gauge({
      ...{ name: `coppice_${name}`, help, ...shared },
      collect() {
        read((model, drafting) => this.set({ model }, of(drafting)));
      },
    });
  const count = (name: string, help: string, of: (drafting: DraftRecord) => number) =>
    new Counter({
      ...{ name: `coppice_${name}_total`, help, ...shared },
      collect() {
        this.reset();
        read((model, drafting) => this.inc({ model }, of(drafting)));
      },
    });
  gauge('draft_gain', 'Times as fast with the draft model as without, in the trial at start', ({ gain }) => gain);
  gauge('draft_used', '1 where the trial said that the draft model pays', ({ isUsed }) => (isUsed ? 1 : 0));
  count('draft_tokens', 'Tokens that the draft model proposed', ({ draftedTokens }) => draftedTokens);
  count('draft_accepted_tokens', 'Those of them that the engine kept', ({ acceptedTokens }) => acceptedTokens);
}
