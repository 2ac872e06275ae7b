// The question profiles against the two facts that they were fitted to, on a seed that they were fitted on: P0's Table 1
// (accuracy of serial MCTS) and §4.3 (the strict exit on about 5 % of Math500). Held-out seeds are in lab/docs/simulator-fit.md.

import { env } from 'node:process';
import { describe, expect, it } from 'vitest';
import { settingOf } from '../../lab/src/sim/settings.ts';
import { runTrial, trialDefaults } from '../../lab/src/sim/trial.ts';
import { contenderOf } from '../../src/bench/simulated/contenders.ts';
import { yieldOf } from '../../src/bench/simulated/measures.ts';
import { type SettingName, settingNames } from '../../src/bench/simulated/profiles.ts';

function served(setting: SettingName, row: string) {
  const arrivals = { kind: 'backlog' } as const;
  return yieldOf(
    runTrial({ ...trialDefaults, setting, contender: contenderOf(row), arrivals, seed: 902, requests: 800 }),
  );
}

// One of each question set; `ALL=1` for all four.
const checked = env.ALL === undefined ? settingNames.filter((name) => name.endsWith('8b')) : settingNames;

describe.each(checked)('%s', (name) => {
  it('answers as much right as the paper reports, within two points', () => {
    expect(Math.abs(served(name, 'vanilla').accuracy - settingOf(name).paperAccuracy)).toBeLessThan(2);
  });

  it.runIf(name.startsWith('math500'))('exits strictly on 3 to 9 % of the questions', () => {
    const { futile } = served(name, 'positive+strict').exits;
    expect(futile).toBeGreaterThan(3);
    expect(futile).toBeLessThan(9);
  });
});
