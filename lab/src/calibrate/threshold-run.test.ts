import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  calibrateThresholds,
  candidateRule,
  candidatesFor,
  checkOutFor,
  type LabelledAnswers,
  parseCalibration,
  settledSection,
  type ThresholdRun,
  thresholdReport,
  writeSection,
} from 'coppice/internals';
import { expect, it } from 'vitest';
import { runTrial, trialDefaults } from '../sim/trial.ts';
import { type SimulatedPlace, simulatedAnswers } from './simulated-answers.ts';
import { simulatedNotes } from './simulated-notes.ts';

const search = {
  program: 'self-consistency',
  options: { window: 5 },
  branching: 4,
  choose: 'best',
  aggregation: 'product',
  rollouts: 12,
} as const;
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
  // A file of it is read back, and what it says is what a simulated run does.
  const out = join(mkdtempSync(join(tmpdir(), 'coppice-')), 'calibration.json');
  const model = { generator: 'simulated', verifier: 'simulated' };
  writeSection(out, model, section);
  writeSection(out, model, { ...section, lossBudget: 4 });
  const calibration = parseCalibration(out, readFileSync(out, 'utf8'));
  expect(calibration.sections).toEqual([{ ...section, lossBudget: 4 }]);
  expect(() => writeSection(out, { ...model, verifier: 'other' }, section)).toThrow(
    /was made for verifier .*: name another file/,
  );
  expect(() => checkOutFor(out, { ...model, generator: 'other' })).toThrow(/was made for generator/);
  writeFileSync(out, '{}');
  expect(() => writeSection(out, model, section)).toThrow(/is no calibration/);
  const served = (own: object) =>
    runTrial({ ...place, ...own, requests: 12, arrivals: { kind: 'backlog' } }).served.filter(
      ({ exit }) => exit === 'certain',
    ).length;
  expect(served({})).toBe(0);
  expect(served({ calibration })).toBeGreaterThan(0);
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

it('calibrates when a search is settled from notes of searches that nothing gave up', () => {
  const knobs = { policy: 'fast', program: 'mcts' } as const;
  const mcts: SimulatedPlace = { ...trialDefaults, setting: 'math500/8b', seed: 33, rollouts: 6, contender: knobs };
  const noted = simulatedNotes(
    mcts,
    Array.from({ length: 40 }, (_, at) => at),
  );
  expect(new Set(noted.map(({ question }) => question)).size).toBe(40);
  expect(noted.some(({ notes }) => notes.length > 3)).toBe(true);
  const section = settledSection(noted, { search, lossBudget: 100, seed: 1 });
  expect(section).toMatchObject({ kind: 'hazard', lossBudget: 100 });
  expect(thresholdReport(section)).toMatch(/^chosen on \d+ questions: settled below 0\.\d+, firstDepthCut /m);
  expect(() => settledSection(noted, { search, lossBudget: 0.1, seed: 1 })).toThrow(
    /no threshold is sure to lose at most 0.1 points on \d+ questions; allow more \(--loss\)/,
  );
});
