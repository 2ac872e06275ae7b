import { expect, it } from 'vitest';
import { type CalibrationFile, checkBinding, parseCalibration, sectionsFor, settingsOf } from './calibration-file.ts';

const interval = { value: 0, low: -1, high: 1 };
const search = {
  program: 'self-consistency',
  options: { window: 5 },
  branching: 4,
  choose: 'best',
  aggregation: 'product',
  rollouts: 20,
} as const;
const file: CalibrationFile = {
  format: 'coppice-calibration',
  version: 1,
  coppice: '1.2.3',
  model: { generator: 'a.gguf sha256:00', verifier: 'none' },
  sections: [
    {
      kind: 'certain',
      search,
      settings: { certain: 'threshold', certainAgreement: 0.8 },
      lossBudget: 0.5,
      chosen: { questions: 200, pointsLost: 0, tokensSaved: 30 },
      reported: { questions: 190, pointsLost: interval, tokensSaved: interval },
      expected: { searches: 190, firedShare: 0.4, tokens: 900, tokensSpread: 300 },
    },
  ],
};
const parse = (value: unknown) => parseCalibration('calibration c.json', JSON.stringify(value));

it('reads what it writes', () => {
  expect(parse(file)).toEqual(file);
});

it('refuses what is broken in one line that names the place', () => {
  const [section] = file.sections;
  const broken: readonly [unknown, RegExp][] = [
    [{ format: 'coppice-trees' }, /: calibration c\.json is no calibration \(coppice calibrate makes one\)$/],
    [null, /is no calibration/],
    [{ ...file, version: 7 }, /is a calibration of version 7; this is version 1$/],
    [{ ...file, sections: [] }, /is a broken calibration: sections: /],
    [
      { ...file, sections: [{ ...section, settings: { certainAgreement: 7 } }] },
      /broken calibration: sections\.0\.settings\.certainAgreement is 7; it must be a number from 0 to 1/,
    ],
    [
      { ...file, sections: [{ ...section, settings: { beta: 1 } }] },
      /settings\.beta is no setting that a calibration chooses$/,
    ],
    [{ ...file, sections: [{ ...section, kind: 'luck' }] }, /sections\.0\.kind: /],
    [{ ...file, extra: 1 }, /broken calibration: it: /],
  ];
  for (const [value, line] of broken) {
    expect(() => parse(value)).toThrow(line);
    expect(() => parse(value)).not.toThrow(/\n/);
  }
  expect(() => parseCalibration('calibration c.json', '{')).toThrow(
    /: calibration c\.json is no calibration: it is not JSON$/,
  );
});

it('is bound to generator, verifier and version', () => {
  checkBinding('f', file, file.model, '1.2.3');
  expect(() => checkBinding('f', file, file.model, '1.2.4')).toThrow(
    /: f was made by coppice 1\.2\.3; this is 1\.2\.4/,
  );
  expect(() => checkBinding('f', file, { ...file.model, generator: 'b' }, '1.2.3')).toThrow(
    /: f was made for generator 'a\.gguf sha256:00'; this one is 'b'/,
  );
  expect(() => checkBinding('f', file, { ...file.model, verifier: 'prm' }, '1.2.3')).toThrow(/verifier 'none'/);
});

it('holds for the same search with as many rollouts or fewer, where the request sets nothing of it', () => {
  const holds = (asked: Partial<typeof search> | object, wish = {}) =>
    sectionsFor(file, { ...search, ...asked }, wish).length === 1;
  expect(holds({})).toBe(true);
  expect(holds({ rollouts: 8 })).toBe(true);
  expect(holds({ rollouts: 21 })).toBe(false);
  expect(holds({ program: 'mcts' })).toBe(false);
  expect(holds({ options: { window: 4 } })).toBe(false);
  expect(holds({ options: {} })).toBe(false);
  expect(holds({ choose: 'majority' })).toBe(false);
  expect(holds({ aggregation: 'minimum' })).toBe(false);
  expect(holds({}, { certain: 'off' })).toBe(false);
  expect(holds({}, { rollouts: 20 })).toBe(true);
  expect(settingsOf(sectionsFor(file, search, {}))).toEqual({ certain: 'threshold', certainAgreement: 0.8 });
});
