// `npm run lab -- calibrate`: what `coppice calibrate` does, on simulated questions or on recorded trees, in virtual time. The file that it writes
// is for `sim --calibration`; a model refuses it.

import { existsSync } from 'node:fs';
import {
  type CalibratedFlags,
  calibratedOptions,
  calibratedUsage,
  calibrateThresholds,
  calibrationSize,
  checkOut,
  checkOutFor,
  given,
  modelConfig,
  oneOf,
  ownPlan,
  type PlannedModel,
  raise,
  readArguments,
  readCalibrated,
  readTrees,
  type SettingName,
  searchDefaults,
  searchUsage,
  settingNames,
  settledSection,
  thresholdReport,
  thresholdRunOf,
  whole,
  writeSection,
} from 'coppice/internals';
import { simulatedAnswers } from '../calibrate/simulated-answers.ts';
import { simulatedNotes } from '../calibrate/simulated-notes.ts';
import { simulatedIdentity } from '../policies/simulated-calibration.ts';
import { trialDefaults } from '../sim/trial.ts';

const usage = `usage: npm run lab -- calibrate [options]
Chooses thresholds as coppice calibrate does, on simulated questions, for sim --calibration.

${calibratedUsage}
  --sim SETTING         --size questions of ${settingNames.join(', ')} (${settingNames[0]})
  --size N              so many (${calibrationSize})
  --trees FILE          the questions of recorded trees (coppice bench --record) instead
  --json                prints the section as JSON

${searchUsage}`;

const flags = {
  ...calibratedOptions,
  size: { type: 'string', default: calibrationSize },
  sim: { type: 'string', default: settingNames[0] },
  trees: { type: 'string' },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false, short: 'h' },
} as const;

interface Settings extends CalibratedFlags {
  readonly size: number;
  readonly sim: SettingName;
  readonly trees?: string;
  readonly json: boolean;
}

export async function run(args: readonly string[]): Promise<number> {
  const settings = readSettings(args);
  if (settings === undefined) {
    console.log(usage);
    return 0;
  }
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
    contender: { program: plan.program, policy: plan.policy, knobs },
    ...(trees === undefined ? {} : { trees }),
  };
  const run = thresholdRunOf(plan, lossBudget, seed);
  if (exit === 'settled') return settledSection(simulatedNotes(place, questions), run);
  const textOf = (at: number) => recorded?.[at]?.question ?? String(at);
  return calibrateThresholds({ ...run, questions, textOf, answers: simulatedAnswers(place) });
}

function readSettings(args: readonly string[]): Settings | undefined {
  const { values } = readArguments({ args: [...args], options: flags });
  if (values.help) return undefined;
  return {
    ...readCalibrated(values),
    size: whole('size', values.size, 1, 1_000_000, 'questions'),
    sim: oneOf('sim', values.sim, settingNames),
    ...given('trees', values.trees, existing),
    json: values.json,
  };
}

function existing(file: string): string {
  return existsSync(file) ? file : raise('bad-setting', `--trees: cannot read ${file}`);
}
