// Every row of every experiment is one that the simulator knows: a knob that was renamed breaks them here, not when they are run.

import { expect, it } from 'vitest';
import { contenderOf } from './contenders.ts';
import { type Preset, presets } from './presets.ts';

it.each(Object.entries(presets as Record<string, Preset>))(
  'the experiment %s names rows that there are',
  (_, { rows }) => {
    for (const row of rows) expect(contenderOf(row).program).toBeDefined();
  },
);
