// The engines that each model's runtime uses, as the panels of the configuration say. An engine in another model's panel is shared
// between runtimes.

import { type OpenModel, panelMember } from '@coppice/core/answering';
import { type PanelMember, SharedEngine } from '@coppice/core/engine';
import type { Generators } from './served-model.ts';

export function generatorsOf(models: readonly OpenModel[]): ReadonlyMap<string, Generators> {
  const byName = new Map(models.map((model) => [model.config.name, model]));
  const shared = new Map<string, SharedEngine>();
  for (const { config } of models) {
    for (const name of askedBy(config)) {
      const member = byName.get(name);
      if (member !== undefined && !shared.has(name)) shared.set(name, new SharedEngine(member.engine));
    }
  }
  return new Map(
    models.map(({ config, engine }) => {
      const members = askedBy(config).flatMap((name): [string, PanelMember][] => {
        const member = shared.get(name);
        const { config: own, engine: theirs } = byName.get(name) ?? {};
        if (member === undefined || own === undefined || theirs === undefined) return [];
        return [[name, panelMember(own, theirs, member.attach())]];
      });
      return [config.name, { own: shared.get(config.name)?.attach() ?? engine, members: new Map(members) }];
    }),
  );
}

/** The other models that its searches may ask: the synthesizer is the model itself, or one of the panel. */
function askedBy({ name, panel }: OpenModel['config']): string[] {
  return [...new Set(panel?.models)].filter((each) => each !== name);
}
