import { expect, it } from 'vitest';
import { certainCalibration, twentySamples } from '../../tests/support/calibrations.ts';
import { SectionWatch, type WatchedPlan } from './section-watch.ts';

const calibration = certainCalibration(twentySamples, 0.5);
const plan: WatchedPlan = { ...twentySamples, programOptions: {}, calibrated: ['certain'] };

it('says in one line what was expected and what came, from 40 searches on', () => {
  const watch = new SectionWatch(calibration);
  for (let at = 0; at < 39; at += 1) watch.ended(plan, { exit: at % 2 === 0 ? 'certain' : 'exhausted', tokens: 1000 });
  expect(watch.findings).toEqual([]);
  watch.ended(plan, { exit: 'exhausted', tokens: 1000 });
  expect(watch.findings).toEqual([
    {
      drifted: false,
      text: "calibration 'certain' of self-consistency with 20 rollouts: 50 % of the last 40 searches ended by it (50 % expected), 1000 tokens each (1000); as expected, 0.0 standard errors away",
    },
  ]);
  for (let at = 0; at < 200; at += 1) watch.ended(plan, { exit: 'exhausted', tokens: 1000 });
  expect(watch.findings[0]?.drifted).toBe(true);
  expect(watch.findings[0]?.text).toMatch(/drifted, \d+\.\d standard errors away: run coppice calibrate again$/);
});

it('counts neither what it has set nothing for, nor what did not end by itself', () => {
  const watch = new SectionWatch(calibration);
  const { calibrated, ...untouched } = plan;
  expect(calibrated).toEqual(['certain']);
  expect(watch.ended(untouched, { exit: 'exhausted', tokens: 1 })).toEqual([]);
  expect(watch.ended({ ...plan, rollouts: 21 }, { exit: 'exhausted', tokens: 1 })).toEqual([]);
  expect(watch.ended({ ...plan, programOptions: { window: 5 } }, { exit: 'exhausted', tokens: 1 })).toEqual([]);
  expect(watch.ended(plan, { exit: 'deadline', tokens: 1 })).toEqual([]);
  expect(watch.ended(plan, { exit: 'exhausted', tokens: 1 })).toHaveLength(1);
});
