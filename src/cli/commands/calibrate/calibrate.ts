// `coppice calibrate`: labelled questions in, thresholds out. Chooses a rule of certainty, or when a search is settled, on one half of the
// questions, reports it on the other, and writes both into a file that `serve`, `ask` and `bench` read with --calibration.

import { type OwnModelOptions, ownModel } from '../../../answering/models/model-by-name.ts';
import { closeModel } from '../../../answering/models/open-model.ts';
import { openModel } from '../../../answering/models/open-models.ts';
import { ownPlan } from '../../../answering/models/own-plan.ts';
import { isRight } from '../../../answering/question.ts';
import type { GoldQuestion } from '../../../answering/question-file.ts';
import { raise } from '../../../base/fault.ts';
import { contestAnswers } from '../../../bench/thresholds/contest-answers.ts';
import { contestNotes, settledSection } from '../../../bench/thresholds/settled-run.ts';
import { thresholdReport } from '../../../bench/thresholds/threshold-report.ts';
import { calibrateThresholds, thresholdRunOf } from '../../../bench/thresholds/threshold-run.ts';
import type { CalibrationSection, ModelIdentity } from '../../../calibration/calibration-file.ts';
import { identityOf } from '../../../calibration/read-calibration.ts';
import { checkOut, checkOutFor, writeSection } from '../../../calibration/write-calibration.ts';
import { programOf } from '../../../program/registry/programs.ts';
import { AnswerProgress } from '../../terminal/answer-progress.ts';
import { exampleServer, type Flags, type Help } from '../../terminal/help.ts';
import { modelFlags, readModelFlags } from '../../terminal/model-flags.ts';
import { readArguments, whole } from '../../terminal/options.ts';
import {
  chooseQuestions,
  type QuestionChoice,
  questionFlags,
  readQuestionFlags,
} from '../../terminal/question-flags.ts';
import { settingHelp } from '../../terminal/setting-help.ts';
import { readSettings, type SettingScope, settingNames, settingOfFlag } from '../../terminal/settings.ts';
import {
  type CalibratedFlags,
  calibratedGroup,
  calibratedKnobs,
  calibrationSize,
  exitGroup,
  readCalibrated,
} from './calibrated-search.ts';

const scope: SettingScope = { search: calibratedKnobs, model: () => true };

const questionGroup = questionFlags('calibration', calibrationSize);
const searchGroup = {
  ...calibratedGroup,
  concurrency: { type: 'string', takes: 'N', default: '8', about: 'searches at a time', rare: true },
} as const satisfies Flags;

/** For node:util's parseArgs, and for the shell's completion. */
export const flags = { ...exitGroup, ...questionGroup, ...searchGroup, ...modelFlags } as const;
export const settings = settingNames(scope);

export const help: Help = {
  usage: 'calibrate [options]',
  about:
    'Chooses when searches may end early, on one half of labelled questions; reports on the other half, and writes a file for --calibration (docs/calibration.md).',
  groups: [
    ['the exit', exitGroup],
    ['the questions', questionGroup],
    ['the search', searchGroup],
    ['the model', modelFlags],
  ],
  settings: settingHelp(scope),
  examples: [
    'calibrate --task word-problem --loss 1',
    'calibrate --exit settled --task countdown --out countdown.json',
    `calibrate --questions mine.jsonl --engine ${exampleServer}`,
  ],
  notes:
    'It takes 100 / loss questions in each half to show that no more is lost. The file is also models[].calibration of serve.',
};

interface Settings extends CalibratedFlags {
  readonly choice: QuestionChoice;
  readonly own: OwnModelOptions;
  readonly concurrency: number;
  readonly json: boolean;
}

export async function run(args: readonly string[]): Promise<number> {
  const settings = readArgs(args);
  checkOut(settings.out);
  const { section, model } = await calibrateModel(settings);
  writeSection(settings.out, model, section);
  const report = `${thresholdReport(section)}\n\nwritten to ${settings.out}, for generator '${model.generator}' and verifier '${model.verifier}'`;
  console.log(settings.json ? JSON.stringify(section, undefined, 1) : report);
  return 0;
}

interface Calibrated {
  readonly section: CalibrationSection;
  readonly model: ModelIdentity;
}

/** On the embedded engine or on servers. */
async function calibrateModel(settings: Settings): Promise<Calibrated> {
  const { own, wish, choice, lossBudget, seed, concurrency } = settings;
  const questions = chooseQuestions(choice);
  const [first] = questions;
  if (first === undefined) return raise('bad-setting', 'there are no questions');
  const model = await openModel(ownModel(own), process.env);
  try {
    for (const warning of model.warnings ?? []) console.error(`warning: ${warning}`);
    const opened = { verifier: model.verifier?.capabilities.name, served: model.upstream?.model };
    const identity = identityOf(model.config, opened);
    checkOutFor(settings.out, identity);
    const plan = ownPlan(model, first.question, wish, seed);
    const { budget } = model.config;
    const contest = { model, settings: { wish, budget, concurrency, seed }, isCorrect: isRight };
    const { program, policy, rollouts } = plan;
    const isSettled = settings.exit === 'settled';
    const progress = new AnswerProgress(isSettled ? questions.length : 1.5 * questions.length);
    const tick = () => progress.tick('', settings.json);
    const contender = { name: 'calibrate', program, policy, rollouts };
    const run = thresholdRunOf(plan, lossBudget, seed);
    const textOf = ({ question }: GoldQuestion) => question;
    const section = isSettled
      ? settledSection(await contestNotes(contest, contender, questions, tick), run)
      : await calibrateThresholds({ ...run, questions, textOf, answers: contestAnswers(contest, contender, tick) });
    progress.end();
    return { section, model: identity };
  } finally {
    await closeModel(model);
  }
}

function readArgs(args: readonly string[]): Settings {
  if (args.some((arg) => /^--(sim|trees)(=|$)/.test(arg)))
    raise('bad-setting', "simulated and recorded questions are the lab's: npm run lab -- calibrate in the repository");
  const { values } = readArguments({ args: [...args], options: flags }, (flag) => settingOfFlag(flag, scope));
  if (values.calibration !== undefined)
    raise('bad-setting', '--calibration names a file to read; the one to write is --out');
  const set = readSettings(values.set, scope);
  const calibrated = readCalibrated(values, set.wish);
  return {
    ...calibrated,
    choice: readQuestionFlags(values),
    own: readModelFlags(values, programOf(calibrated.wish.program ?? 'mcts').needsVerifier, set.model),
    concurrency: whole('concurrency', values.concurrency, 1, 10_000, 'searches'),
    json: values.json,
  };
}
