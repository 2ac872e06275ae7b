// A calibration of the exit `certain`, for tests of what watches one.

import type { CalibrationFile } from '../../src/calibration/calibration-file.ts';

type CalibratedSearch = CalibrationFile['sections'][number]['search'];

export const twentySamples = {
  program: 'self-consistency',
  options: {},
  branching: 4,
  choose: 'best',
  aggregation: 'product',
  rollouts: 20,
} as const satisfies CalibratedSearch;

/** `firedShare`: of the searches that it expects to end. */
export function certainCalibration(search: CalibratedSearch, firedShare: number): CalibrationFile {
  const interval = { value: 0, low: 0, high: 0 };
  return {
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
        expected: { searches: 200, firedShare, tokens: 1000, tokensSpread: 300 },
      },
    ],
  };
}
