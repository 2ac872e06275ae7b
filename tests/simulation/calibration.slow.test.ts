// The question profiles against the two facts that they were fitted to, on a seed that they were fitted on: P0's Table 1
// (accuracy of serial MCTS) and §4.3 (the strict exit on about 5 % of Math500). Held-out seeds are in lab/docs/simulator.md. Searches
// have one strand each and no machine: what they answer does not depend on one.

import { describe, expect, it } from 'vitest';
import { contenderOf } from '../../lab/src/service/contenders.ts';
import { type SettingName, settingNames } from '../../lab/src/service/profiles.ts';
import { type LoneAnswer, loneAnswers } from '../../lab/src/sim/lone-search.ts';
import { settingOf } from '../../lab/src/sim/settings.ts';
import { trialDefaults } from '../../lab/src/sim/trial.ts';

const questions = Array.from({ length: 800 }, (_, at) => at);

/** Per cent of the questions of which this holds. */
function share(setting: SettingName, row: string, holds: (answer: LoneAnswer) => boolean): number {
  const answers = loneAnswers({ ...trialDefaults, setting, contender: contenderOf(row), seed: 902, questions });
  return (100 * answers.filter(holds).length) / answers.length;
}

describe.each(settingNames)('%s', (name) => {
  it('answers as much right as the paper reports, within two points', () => {
    const accuracy = share(name, 'vanilla', ({ right }) => right);
    expect(Math.abs(accuracy - settingOf(name).paperAccuracy)).toBeLessThan(2);
  });

  it.runIf(name.startsWith('math500'))('exits strictly on 3 to 9 % of the questions', () => {
    const futile = share(name, 'positive+strict', ({ exit }) => exit === 'futile');
    expect(futile).toBeGreaterThan(3);
    expect(futile).toBeLessThan(9);
  });
});
