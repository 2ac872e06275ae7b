import { Registry } from 'prom-client';
import { expect, it } from 'vitest';
import type { OpenModel } from '../../answering/open-model.ts';
import { Random } from '../../base/random.ts';
import type { CalibrationFile } from '../../calibration/calibration-file.ts';
import { CalibrationWatch } from './calibration-watch.ts';
import type { Log } from './log.ts';
import type { ObservedEnd, ObservedSearch } from './observed.ts';

const interval = { value: 0, low: 0, high: 0 };
const search = { program: 'self-consistency', options: {}, branching: 4, choose: 'best', rollouts: 20 } as const;
const calibration: CalibrationFile = {
  format: 'coppice-calibration',
  version: 1,
  coppice: '1',
  model: { generator: 'g', verifier: 'none' },
  sections: [
    {
      kind: 'certain',
      search,
      settings: { certain: 'beta' },
      lossBudget: 1,
      chosen: { questions: 200, pointsLost: 0, tokensSaved: 30 },
      reported: { questions: 200, pointsLost: interval, tokensSaved: interval },
      expected: { searches: 200, firedShare: 0.6, tokens: 1000, tokensSpread: 300 },
    },
  ],
};

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
    const facts = { plan: { model: 'm', ...search, programOptions: {}, calibrated: ['certain'], ...plan } };
    watch.ended({ facts } as unknown as ObservedSearch, { result: { outcome } } as unknown as ObservedEnd);
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
