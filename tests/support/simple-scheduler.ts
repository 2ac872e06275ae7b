// The smallest scheduler: admits every waiting search while there is room, and gives each its natural width.

import type { Decision, Scheduler, Snapshot, Width } from '../../packages/core/src/scheduler/scheduler.ts';

export function simpleScheduler(speculative = 0): Scheduler {
  return {
    name: 'simple',
    decide({ budget, waiting, running }: Snapshot): Decision {
      const widths = new Map<string, Width>();
      let room = budget;
      for (const { id, naturalWidth } of running) {
        widths.set(id, { primary: naturalWidth, speculative });
        room -= naturalWidth + speculative;
      }
      const admit: string[] = [];
      for (const { id, naturalWidth } of waiting) {
        if (naturalWidth + speculative > room) break;
        admit.push(id);
        widths.set(id, { primary: naturalWidth, speculative });
        room -= naturalWidth + speculative;
      }
      return { admit, widths, preempt: new Map(), giveUp: new Map(), reasons: new Map() };
    },
  };
}
