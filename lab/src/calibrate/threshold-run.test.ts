import { expect, it } from 'vitest';
import { runTrial, trialDefaults } from '../sim/trial.ts';
import { candidateRule, candidatesFor } from './candidates.ts';
import { type SimulatedPlace, simulatedAnswers } from './simulated-answers.ts';
import { thresholdReport } from './threshold-report.ts';
import { calibrateThresholds, type LabelledAnswers, type ThresholdRun } from './threshold-run.ts';

const search = { program: 'self-consistency', rollouts: 12 } as const;
const place: SimulatedPlace = {
  ...trialDefaults,
  setting: 'math500/8b',
  seed: 31,
  rollouts: 12,
  contender: { program: 'self-consistency', policy: 'vanilla', knobs: { window: 5 } },
};
const questions = Array.from({ length: 60 }, (_, at) => at);
const runWith = (answers: LabelledAnswers<number>): ThresholdRun<number> => {
  const candidates = candidatesFor('self-consistency', 12);
  return { questions, textOf: String, answers, candidates, search, lossBudget: 5, seed: 1 };
};

it('chooses on one half and reports on the other: neither is ever asked about the other', async () => {
  const real = simulatedAnswers(place);
  const asked = { shadow: [] as number[], pairs: [] as number[] };
  const section = await calibrateThresholds(
    runWith({
      shadow: (own, candidates) => {
        asked.shadow.push(...own);
        return real.shadow(own, candidates);
      },
      pairs: (own, settings) => {
        asked.pairs.push(...own);
        return real.pairs(own, settings);
      },
    }),
  );
  expect(asked.shadow.filter((each) => asked.pairs.includes(each))).toEqual([]);
  expect([...asked.shadow, ...asked.pairs].sort((a, b) => a - b)).toEqual(questions);
  expect(section.chosen.questions).toBe(asked.shadow.length);
  expect(section.reported.tokensSaved.value).toBeGreaterThan(5);
  expect(thresholdReport(section)).toMatch(/^on \d+ others, run without and with it, 95 % intervals, paired:$/m);
  // What it chose is what a simulated run does.
  const served = (settings: object) =>
    runTrial({
      ...place,
      contender: { ...place.contender, knobs: { window: 5, ...settings } },
      requests: 12,
      arrivals: { kind: 'backlog' },
    }).served.filter(({ exit }) => exit === 'certain').length;
  expect(served({})).toBe(0);
  expect(served(section.settings)).toBeGreaterThan(0);
});

it('looks on with the very rules that would run: a shadow stands where its rule ends the search', async () => {
  const settings = { certain: 'beta', certainRisk: 0.05 } as const;
  expect(candidateRule(settings).name).toBe('beta');
  const run = (knobs: object, shadowed: boolean) => {
    const contender = { ...place.contender, knobs: { window: 1, ...knobs } };
    const spec = { ...place, contender, questions: questions.slice(0, 20), requests: 20 } as const;
    return runTrial({ ...spec, arrivals: { kind: 'backlog' }, ...(shadowed ? { shadowed: [settings] } : {}) });
  };
  const { shadows } = run({}, true);
  const { served } = run(settings, false);
  served.forEach(({ exit, tokens, correct }, at) => {
    const stop = shadows![at]![0];
    expect(stop !== undefined).toBe(exit === 'certain');
    if (stop !== undefined) expect(stop).toEqual({ tokens, right: correct });
  });
});

it('says how many questions a budget needs, and what to do where nothing fits', async () => {
  const answers = simulatedAnswers(place);
  await expect(calibrateThresholds({ ...runWith(answers), lossBudget: 1 })).rejects.toThrow(
    /questions to choose on cannot show a loss of 1 points \(--loss\): at least 100 are needed in that half/,
  );
  await expect(calibrateThresholds({ ...runWith(answers), lossBudget: 0 })).rejects.toThrow(/no number is enough/);
  const silent = {
    ...answers,
    shadow: async (own: readonly number[]) =>
      own.map((each) => ({ question: String(each), full: { tokens: 1, right: true }, stops: [] })),
  };
  await expect(calibrateThresholds(runWith(silent))).rejects.toThrow(/none saves tokens within 5 points/);
});
