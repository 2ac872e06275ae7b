import { Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { certainCalibration, twentySamples } from '../../../../tests/support/calibrations.ts';
import { treeOf } from '../../../../tests/support/trees.ts';
import type { OpenModel } from '../../../answering/models/open-model.ts';
import { Random } from '../../../base/random.ts';
import type { Ended, LiveSearch } from '../../searches/live-search.ts';
import type { Log } from '../log.ts';
import { CalibrationWatch } from './calibration-watch.ts';

const calibration = certainCalibration(twentySamples, 0.6);

it('warns once when searches are no longer like those it was calibrated on, says when that is over, and counts no others', async () => {
  const lines: string[] = [];
  const log = {
    warn: (event: string) => lines.push(`warn ${event}`),
    info: (event: string) => lines.push(`info ${event}`),
  };
  const watch = new CalibrationWatch([{ config: { name: 'm' }, calibration } as OpenModel], log as unknown as Log);
  const registry = new Registry();
  watch.addMetrics(registry);
  const draw = new Random('watch');
  const end = (share: number, plan = {}, kind?: string) => {
    const exit = { kind: kind ?? (draw.uniform() < share ? 'certain' : 'exhausted'), rule: '', evidence: {} };
    const outcome = { exit, usage: { completion_tokens: draw.normal(1000, 300) } };
    const facts = { plan: { model: 'm', ...twentySamples, programOptions: {}, calibrated: ['certain'], ...plan } };
    watch.ended({ facts } as unknown as LiveSearch, { result: { outcome } } as unknown as Ended);
  };
  const times = (count: number, act: () => void) => {
    for (let at = 0; at < count; at += 1) act();
  };
  times(200, () => end(0.6));
  times(200, () => end(0.1, { calibrated: undefined }));
  times(200, () => end(0, {}, 'cancelled'));
  expect(lines).toEqual([]);
  expect(await registry.metrics()).toMatch(
    /coppice_calibration_drifted\{model="m",section="certain",program="self-consistency"\} 0/,
  );
  times(200, () => end(0.2));
  expect(lines).toEqual(['warn calibration-drift']);
  expect(await registry.metrics()).toMatch(/coppice_calibration_drifted\{.*\} 1/);
  times(300, () => end(0.6));
  expect(lines).toEqual(['warn calibration-drift', 'info calibration-drift-over']);
});

it('refuses a calibration, in one line, once rewards are not like those that it was made on', () => {
  const [section] = calibration.sections;
  const rewards = { firstReward: { mean: 0.95, spread: 0.05 }, score: { mean: 0.8, spread: 0.3 } };
  const file = { ...calibration, sections: [{ ...section!, expected: { ...section!.expected, rewards } }] };
  const lines: unknown[] = [];
  const log = { warn: (_: string, facts: object) => lines.push(facts), info: () => {} } as unknown as Log;
  const watch = new CalibrationWatch([{ config: { name: 'm' }, calibration: file } as OpenModel], log);
  const draw = new Random('rewards');
  const end = (reward: number) => {
    const exit = { kind: draw.chance(0.6) ? 'certain' : 'exhausted', rule: '', evidence: {} };
    const outcome = { exit, usage: { completion_tokens: draw.normal(1000, 300) } };
    const plan = { model: 'm', ...twentySamples, programOptions: {}, calibrated: ['certain'], threshold: 0.65 };
    const fold = { tree: treeOf('product', [{ reward, end: true }]) };
    watch.ended({ facts: { plan }, fold } as unknown as LiveSearch, { result: { outcome } } as unknown as Ended);
  };
  for (let at = 0; at < 39; at += 1) end(draw.normal(0.5, 0.02));
  expect([lines, file.sections.length]).toEqual([[], 1]);
  end(0.5);
  expect(file.sections).toEqual([]);
  expect(lines).toEqual([
    {
      model: 'm',
      reason: expect.stringMatching(
        /^calibration 'certain' of self-consistency with 20 rollouts and rewards by product is refused: the rewards of the last 40 searches are [\d.]+ standard errors from those that it was made on \(4 are allowed\); run coppice calibrate again$/,
      ),
    },
  ]);
  end(0.5);
  expect(lines).toHaveLength(1);
});
