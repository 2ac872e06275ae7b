// `coppice calibrate`: labelled questions in, thresholds out. Chooses a rule of certainty, or when a search is settled, on one half of the
// questions, reports it on the other, and writes both into a file that `serve`, `ask` and `bench` read with --calibration.

import { closeModel } from '../../../answering/open-model.ts';
import { openModel } from '../../../answering/open-models.ts';
import { type OwnModelOptions, ownModel, ownPlan } from '../../../answering/own-model.ts';
import type { GoldQuestion } from '../../../answering/question-file.ts';
import { isRight } from '../../../answering/question-form.ts';
import { raise } from '../../../base/fault.ts';
import { contestAnswers } from '../../../bench/thresholds/contest-answers.ts';
import { contestNotes, settledSection } from '../../../bench/thresholds/settled-run.ts';
import { thresholdReport } from '../../../bench/thresholds/threshold-report.ts';
import { calibrateThresholds, thresholdRunOf } from '../../../bench/thresholds/threshold-run.ts';
import type { CalibrationSection, ModelIdentity } from '../../../calibration/calibration-file.ts';
import { identityOf } from '../../../calibration/read-calibration.ts';
import { checkOut, checkOutFor, writeSection } from '../../../calibration/write-calibration.ts';
import { programOf } from '../../../program/registry/programs.ts';
import { modelOptions, modelUsage, readModelFlags } from '../../terminal/model-flags.ts';
import { readArguments, whole } from '../../terminal/options.ts';
import {
  chooseQuestions,
  type QuestionChoice,
  questionOptions,
  questionUsage,
  readQuestionFlags,
} from '../../terminal/question-flags.ts';
import {
  type CalibratedFlags,
  calibratedOptions,
  calibratedUsage,
  calibrationSize,
  readCalibrated,
  searchUsage,
} from './calibrated-search.ts';

const usage = `usage: coppice calibrate [options]
Chooses by which rule, and from which thresholds on, searches end early (--exit): what saves most tokens and loses no more
accuracy than allowed. Chosen on one half of the questions, reported on the other, written to a file for --calibration of
ask and bench and for models[].calibration of serve. docs/calibration.md tells more.

${calibratedUsage}
  --concurrency N       searches at a time (8)
  --json                prints the section as JSON

labelled questions:
${questionUsage('calibration', calibrationSize)}

${searchUsage}

the model:
${modelUsage}`;

export const flags = {
  ...calibratedOptions,
  ...modelOptions,
  ...questionOptions('calibration', calibrationSize),
  concurrency: { type: 'string', default: '8' },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false, short: 'h' },
} as const;

interface Settings extends CalibratedFlags {
  readonly choice: QuestionChoice;
  readonly own: OwnModelOptions;
  readonly concurrency: number;
  readonly json: boolean;
}

export async function run(args: readonly string[]): Promise<number> {
  const settings = readSettings(args);
  if (settings === undefined) {
    console.log(usage);
    return 0;
  }
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
    const progress = new Ticks(isSettled ? questions.length : 1.5 * questions.length);
    const tick = () => progress.tick();
    const contender = { name: 'calibrate', program, policy, rollouts };
    const run = thresholdRunOf(plan, lossBudget, seed);
    const textOf = ({ question }: GoldQuestion) => question;
    const section = isSettled
      ? settledSection(await contestNotes(contest, contender, questions, tick), run)
      : await calibrateThresholds({ ...run, questions, textOf, answers: contestAnswers(contest, contender, tick) });
    return { section, model: identity };
  } finally {
    await closeModel(model);
  }
}

/** A line on a terminal that says how far it is. */
class Ticks {
  readonly #all: number;
  #done = 0;

  constructor(answers: number) {
    this.#all = Math.round(answers);
  }

  tick(): void {
    this.#done += 1;
    if (process.stderr.isTTY) process.stderr.write(`\r${this.#done} of about ${this.#all} answers `);
    else if (this.#done % 100 === 0) process.stderr.write(`${this.#done} of about ${this.#all} answers\n`);
  }
}

function readSettings(args: readonly string[]): Settings | undefined {
  if (args.some((arg) => /^--(sim|trees)(=|$)/.test(arg)))
    raise('bad-setting', "simulated and recorded questions are the lab's: npm run lab -- calibrate in the repository");
  const { values } = readArguments({ args: [...args], options: flags });
  if (values.help) return undefined;
  if (values.calibration !== undefined)
    raise('bad-setting', '--calibration names a file to read; the one to write is --out');
  const calibrated = readCalibrated(values);
  return {
    ...calibrated,
    choice: readQuestionFlags(values),
    own: readModelFlags(values, programOf(calibrated.wish.program ?? 'mcts').needsVerifier),
    concurrency: whole('concurrency', values.concurrency, 1, 10_000, 'searches'),
    json: values.json,
  };
}
