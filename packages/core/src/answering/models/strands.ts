// The budget of a model in strands: a number that the operator has set, or one for each replica that may get work, which follows them as they
// come and go. While none may it is that of one: what waits then waits for the first that comes back.

import { budgetKnob } from '../../config/machine-knobs.ts';
import type { ModelConfig } from '../../config/schema.ts';
import type { Engine } from '../../engine/engine.ts';
import type { PanelMember } from '../../engine/panel/panel-engine.ts';

type Budget = Pick<ModelConfig, 'budget' | 'budgetPer'>;

/** Over all its replicas as they are now. */
export function strandsOf({ budget, budgetPer }: Budget, engine: Pick<Engine, 'load'>): number {
  if (budgetPer === 'model') return budget;
  return Math.min(budgetKnob.high, budget * Math.max(1, engine.load().replicas?.up ?? 1));
}

/** Which it never exceeds. */
export function mostStrands({ budget, budgetPer }: Budget): number {
  return budgetPer === 'model' ? budget : budgetKnob.high;
}

/** Calls `allow` now, and whenever `strandsOf` has changed. */
export function followReplicas({ budgetPer }: Budget, engine: Engine, allow: () => void): void {
  if (budgetPer === 'model') return;
  engine.watchReplicas?.(allow);
  allow();
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
