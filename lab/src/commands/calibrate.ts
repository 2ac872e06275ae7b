// `npm run lab -- calibrate`: chooses the thresholds of the certainty exits on simulated questions or on recorded trees, in virtual time, and
// reports on other questions what they save.

import { existsSync } from 'node:fs';
import { ownPlan, type PlannedModel, type Wish } from '@coppice/core/answering';
import { raise } from '@coppice/core/base';
import { requestKnobs } from '@coppice/core/config';
import {
  modelConfig,
  readTrees,
  type SettingName,
  searchDefaults,
  settingNames,
  type TurnedWish,
} from '@coppice/sim/service';
import { policyNames, programNames } from 'coppice';
import { readSearchArguments, setFlag, settingHelp } from 'coppice/cli';
import { simulatedAnswers } from '../calibrate/simulated-answers.ts';
import { thresholdReport } from '../calibrate/threshold-report.ts';
import { type ChosenThresholds, calibrateThresholds, thresholdRunOf } from '../calibrate/threshold-run.ts';
import { type CommandFlags, type CommandHelp, type CommandSettings, flagOf, helpFlag, oneOf, whole } from '../flags.ts';
import { trialDefaults } from '../sim/trial.ts';

const scope: CommandSettings = {
  search: ['branching', 'threshold', 'choose', 'temperature'],
  model: () => false,
};

const flags = {
  loss: { type: 'string', takes: 'X', default: '0.5', about: 'points of accuracy that may be lost' },
  sim: { type: 'string', takes: 'SETTING', default: settingNames[0], about: `of ${settingNames.join(', ')}` },
  size: { type: 'string', takes: 'N', default: '460', about: 'so many questions' },
  trees: { type: 'string', takes: 'FILE', about: 'those of recorded trees (npm run lab -- record) instead' },
  program: { type: 'string', takes: 'NAME', default: 'self-consistency', about: 'how the tree grows' },
  policy: { type: 'string', takes: 'NAME', about: 'of the other exits (safe)' },
  rollouts: { type: 'string', takes: 'N', default: '16', about: 'of each search' },
  seed: { type: 'string', takes: 'N', default: '1', about: 'of the draws, and of which half a question is in' },
  ...setFlag,
  json: { type: 'boolean', default: false, about: 'prints what was chosen as JSON' },
  ...helpFlag,
} as const satisfies CommandFlags;

export const help: CommandHelp = {
  starts: 'npm run lab --',
  usage: 'calibrate [options]',
  about: 'Chooses thresholds of the certainty exits on half of the questions, and reports them on the others.',
  groups: [['options', flags]],
  settings: settingHelp(scope),
  examples: ['calibrate --loss 1', 'calibrate --trees trees.jsonl'],
};

interface Settings {
  readonly wish: Wish & { readonly rollouts: number };
  readonly lossBudget: number;
  readonly seed: number;
  readonly size: number;
  readonly sim: SettingName;
  readonly trees?: string;
  readonly json: boolean;
}

export async function run(args: readonly string[]): Promise<number> {
  const settings = readArgs(args);
  const chosen = await calibrated(settings);
  console.log(settings.json ? JSON.stringify(chosen, undefined, 1) : thresholdReport(chosen));
  return 0;
}

const simulated: PlannedModel = {
  config: modelConfig,
  engine: { capabilities: {} },
  verifier: { capabilities: { aggregation: 'product' } },
};

async function calibrated({ wish, sim, trees, size, lossBudget, seed }: Settings): Promise<ChosenThresholds> {
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
  const textOf = (at: number) => recorded?.[at]?.question ?? String(at);
  const run = thresholdRunOf(plan, lossBudget, seed);
  return calibrateThresholds({ ...run, questions, textOf, answers: simulatedAnswers(place) });
}

function readArgs(args: readonly string[]): Settings {
  const { values, wish } = readSearchArguments({ args: [...args], options: flags }, scope);
  const rollouts = flagOf('rollouts', values.rollouts, requestKnobs.rollouts);
  return {
    wish: {
      program: oneOf('program', values.program, programNames()),
      ...(values.policy === undefined ? {} : { policy: oneOf('policy', values.policy, policyNames) }),
      ...wish,
      rollouts,
    },
    lossBudget: flagOf('loss', values.loss, { low: 0, high: 100, unit: 'points of accuracy', why: '' }),
    seed: flagOf('seed', values.seed, requestKnobs.seed),
    size: whole('size', values.size, 1, 1_000_000, 'questions'),
    sim: oneOf('sim', values.sim, settingNames),
    ...(values.trees === undefined ? {} : { trees: existing(values.trees) }),
    json: values.json,
  };
}

function existing(file: string): string {
  return existsSync(file) ? file : raise('bad-setting', `--trees: cannot read ${file}`);
}
