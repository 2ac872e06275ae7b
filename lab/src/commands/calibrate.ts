// `npm run lab -- calibrate`: what `coppice calibrate` does, on simulated questions or on recorded trees, in virtual time. The file that it writes
// is for `sim --calibration`; a model refuses it.

import { existsSync } from 'node:fs';
import {
  type CalibratedFlags,
  calibratedGroup,
  calibratedKnobs,
  calibrateThresholds,
  calibrationSize,
  checkOut,
  checkOutFor,
  exitGroup,
  type Flags,
  given,
  type Help,
  modelConfig,
  oneOf,
  ownPlan,
  type PlannedModel,
  raise,
  readArguments,
  readCalibrated,
  readSettings,
  readTrees,
  type SettingName,
  type SettingScope,
  searchDefaults,
  settingHelp,
  settingNames,
  settingOfFlag,
  settledSection,
  type TurnedWish,
  thresholdReport,
  thresholdRunOf,
  whole,
  writeSection,
} from 'coppice/internals';
import { simulatedAnswers } from '../calibrate/simulated-answers.ts';
import { simulatedNotes } from '../calibrate/simulated-notes.ts';
import { simulatedIdentity } from '../policies/simulated-calibration.ts';
import { trialDefaults } from '../sim/trial.ts';

/** Its questions come from no model, and no engine can be told anything. */
const scope: SettingScope = { search: calibratedKnobs, model: () => false };

const questionGroup = {
  sim: { type: 'string', takes: 'SETTING', default: settingNames[0], about: `of ${settingNames.join(', ')}` },
  size: { type: 'string', takes: 'N', default: calibrationSize, about: 'so many of them' },
  trees: { type: 'string', takes: 'FILE', about: 'those of recorded trees (npm run lab -- record) instead' },
} as const satisfies Flags;

const flags = { ...exitGroup, ...questionGroup, ...calibratedGroup } as const;

export const help: Help = {
  starts: 'npm run lab --',
  usage: 'calibrate [options]',
  about: 'Chooses thresholds as coppice calibrate does, on simulated questions, for sim --calibration.',
  groups: [
    ['the exit', exitGroup],
    ['the questions', questionGroup],
    ['the search', calibratedGroup],
  ],
  settings: settingHelp(scope),
  examples: [
    'calibrate --loss 1',
    'calibrate --exit settled --sim amc23/8b --out settled.json',
    'calibrate --trees trees.jsonl',
  ],
};

interface Settings extends CalibratedFlags {
  readonly size: number;
  readonly sim: SettingName;
  readonly trees?: string;
  readonly json: boolean;
}

export async function run(args: readonly string[]): Promise<number> {
  const settings = readArgs(args);
  const { out, trees, json } = settings;
  checkOut(out);
  const model = simulatedIdentity(trees);
  checkOutFor(out, model);
  const section = await calibrated(settings);
  writeSection(out, model, section);
  const report = `${thresholdReport(section)}\n\nwritten to ${out}, for generator '${model.generator}' and verifier '${model.verifier}'`;
  console.log(json ? JSON.stringify(section, undefined, 1) : report);
  return 0;
}

const simulated: PlannedModel = {
  config: modelConfig,
  engine: { capabilities: {} },
  verifier: { capabilities: { aggregation: 'product' } },
};

async function calibrated({ exit, wish, sim, trees, size, lossBudget, seed }: Settings) {
  const { program, policy, ...knobs } = wish;
  const plan = ownPlan(simulated, 'every question', { threshold: searchDefaults.threshold, ...wish }, seed);
  const recorded = trees === undefined ? undefined : readTrees(trees).trees;
  const questions = Array.from({ length: recorded?.length ?? size }, (_, at) => at);
  const place = {
    ...trialDefaults,
    setting: sim,
    seed,
    rollouts: plan.rollouts,
    threshold: plan.threshold,
    contender: { program: plan.program, policy: plan.policy, knobs: knobs as TurnedWish },
    ...(trees === undefined ? {} : { trees }),
  };
  const run = thresholdRunOf(plan, lossBudget, seed);
  if (exit === 'settled') return settledSection(simulatedNotes(place, questions), run);
  const textOf = (at: number) => recorded?.[at]?.question ?? String(at);
  return calibrateThresholds({ ...run, questions, textOf, answers: simulatedAnswers(place) });
}

function readArgs(args: readonly string[]): Settings {
  const { values } = readArguments({ args: [...args], options: flags }, (flag) => settingOfFlag(flag, scope));
  return {
    ...readCalibrated(values, readSettings(values.set, scope).wish),
    size: whole('size', values.size, 1, 1_000_000, 'questions'),
    sim: oneOf('sim', values.sim, settingNames),
    ...given('trees', values.trees, existing),
    json: values.json,
  };
}

function existing(file: string): string {
  return existsSync(file) ? file : raise('bad-setting', `--trees: cannot read ${file}`);
}
