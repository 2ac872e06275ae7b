// Metrics of draft models, for engines that were tried with one.

import type { Registry } from 'prom-client';
import type { DraftRecord } from '../../engine/engine.ts';
import type { ObservedModel } from './observed.ts';
import { ReadMetrics } from './read-metrics.ts';

export function addDraftMetrics(registry: Registry, models: () => Iterable<ObservedModel>): void {
  const metrics = new ReadMetrics(registry, ['model'], () => drafting(models()));
  metrics.gauge('draft_gain', 'Times as fast with the draft model as without, in the trial at start', (it) => it.gain);
  metrics.gauge('draft_used', '1 where the trial said that the draft model pays', ({ isUsed }) => (isUsed ? 1 : 0));
  metrics.count('draft_tokens', 'Tokens that the draft model proposed', ({ draftedTokens }) => draftedTokens);
  metrics.count('draft_accepted_tokens', 'Those of them that the engine kept', ({ acceptedTokens }) => acceptedTokens);
}

function* drafting(models: Iterable<ObservedModel>): Generator<[{ model: string }, DraftRecord]> {
  for (const { name, engine } of models) {
    const { drafting: record } = engine.load();
    if (record !== undefined) yield [{ model: name }, record];
  }
}
