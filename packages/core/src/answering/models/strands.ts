// The budget of a model in strands. Where replicas are listed it is the budget of each replica that may get work, and follows them as
// they come and go; while none may, it is that of one.

import { budgetKnob, budgetOf } from '../../config/model.ts';
import type { ModelConfig } from '../../config/schema.ts';
import type { Engine } from '../../engine/engine.ts';
import type { PanelMember } from '../../engine/panel/panel-engine.ts';

type Budget = Pick<ModelConfig, 'budget' | 'engine'>;

/** Over all its replicas as they are now. */
export function strandsOf(config: Budget, engine: Pick<Engine, 'load'>): number {
  if (!isPerReplica(config)) return budgetOf(config);
  return Math.min(budgetKnob.high, budgetOf(config) * Math.max(1, engine.load().replicas?.up ?? 1));
}

/** `strandsOf` never exceeds it. */
export function mostStrands(config: Budget): number {
  return isPerReplica(config) ? budgetKnob.high : budgetOf(config);
}

/** Calls `allow` now, and whenever `strandsOf` has changed. */
export function followReplicas(config: Budget, engine: Engine, allow: () => void): void {
  if (!isPerReplica(config)) return;
  engine.watchReplicas?.(allow);
  allow();
}

/** A list of replicas changes its length: its budget counts for each of them. */
function isPerReplica({ engine }: Budget): boolean {
  return engine.replicas !== undefined;
}

/** A model as others ask it, through `attached`: it takes as many of their requests at a time as it has strands then. */
export function panelMember(config: Budget, own: Engine, attached: Engine): PanelMember {
  return {
    engine: attached,
    get budget() {
      return strandsOf(config, own);
    },
  };
}
