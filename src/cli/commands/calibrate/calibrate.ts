// `coppice calibrate`: labelled questions in, thresholds out. Chooses a rule of certainty, or when a search is settled, on one half of the
// questions, reports it on the other, and writes both into a file that `serve`, `ask`, `bench` and `sim` read with --calibration.

import { existsSync } from 'node:fs';
import { closeModel } from '../../../answering/open-model.ts';
import { openModel } from '../../../answering/open-models.ts';
import { type OwnModelOptions, ownModel, ownPlan } from '../../../answering/own-model.ts';
import type { GoldQuestion } from '../../../answering/question-file.ts';
import { isRight } from '../../../answering/question-form.ts';
import type { PlannedModel, SearchPlan, Wish } from '../../../answering/search-plan.ts';
import { raise } from '../../../base/fault.ts';
import { simulatedIdentity } from '../../../bench/policies/simulated-calibration.ts';
import { readTrees } from '../../../bench/sim/questions.ts';
import { modelConfig, type SettingName, searchDefaults, settingNames } from '../../../bench/sim/settings.ts';
import { trialDefaults } from '../../../bench/sim/trial.ts';
import { contestAnswers } from '../../../bench/thresholds/contest-answers.ts';
import { contestNotes, settledSection, simulatedNotes } from '../../../bench/thresholds/settled-run.ts';
import { simulatedAnswers } from '../../../bench/thresholds/simulated-answers.ts';
import { thresholdReport } from '../../../bench/thresholds/threshold-report.ts';
import { calibrateThresholds, type ThresholdRun } from '../../../bench/thresholds/threshold-run.ts';
import type { CalibratedSearch, CalibrationSection, ModelIdentity } from '../../../calibration/calibration-file.ts';
import { candidatesFor } from '../../../calibration/candidates.ts';
import { identityOf } from '../../../calibration/read-calibration.ts';
import { checkOut, checkOutFor, writeSection } from '../../../calibration/write-calibration.ts';
import { requestKnobs, type SearchKnob } from '../../../config/vocabulary.ts';
import { programKnobs, programOf } from '../../../program/registry/programs.ts';
import { knobOptions, knobUsage, readWish } from '../../terminal/knob-flags.ts';
import { modelOptions, modelUsage, readModelFlags } from '../../terminal/model-flags.ts';
import { flagOf, given, oneOf, readArguments, whole } from '../../terminal/options.ts';
import {
  chooseQuestions,
  type QuestionChoice,
  questionOptions,
  questionUsage,
  readQuestionFlags,
} from '../../terminal/question-flags.ts';

/** What the search is told: the calibration holds for searches that are told the same. */
const main = [
  'program',
  'policy',
  'branching',
  'threshold',
  'choose',
  'temperature',
  'stepTokens',
  'maxDepth',
] as const;
const told: readonly SearchKnob[] = [...main, ...(Object.keys(programKnobs) as SearchKnob[])];
const defaults = { size: '460', loss: '0.5', rollouts: '16', out: 'calibration.json', program: 'self-consistency' };
const defaultsOfCertain = { program: defaults.program };
const settledDefaults = { program: 'mcts', policy: 'fast' };
const lossKnob = { low: 0, high: 100, unit: 'points of accuracy', why: '' } as const;

const usage = `usage: coppice calibrate [options]
Chooses by which rule, and from which thresholds on, searches end early (--exit): what saves most tokens and loses no more
accuracy than allowed. Chosen on one half of the questions, reported on the other, written to a file for --calibration of
ask, bench and sim and for models[].calibration of serve. docs/calibration.md tells more.

  --exit NAME           certain: answers that agree; settled: more work is unlikely to make the answer right, of policy fast and
                        programs with scores (certain)
  --loss X              points of accuracy that may be lost (${defaults.loss}): it takes 100 / X questions in each half to show that
  --rollouts N          ${requestKnobs.rollouts.why} (${defaults.rollouts})
  --out FILE            the file; a section for the same search in it is replaced (${defaults.out})
  --seed N              of the draws, and of which half a question is in (1)
  --concurrency N       searches at a time (8)
  --json                prints the section as JSON

labelled questions:
${questionUsage('calibration', defaults.size)}
  --sim SETTING         --size simulated questions of ${settingNames.join(', ')} instead
  --trees FILE          the questions of recorded trees (bench --record), in virtual time, instead

the search:
${knobUsage(told, { program: defaults.program, policy: 'as ask would take' })}

the model:
${modelUsage}`;

export const flags = {
  ...knobOptions(told),
  ...modelOptions,
  ...questionOptions('calibration', defaults.size),
  loss: { type: 'string', default: defaults.loss },
  rollouts: { type: 'string', default: defaults.rollouts },
  out: { type: 'string', default: defaults.out },
  seed: { type: 'string', default: '1' },
  concurrency: { type: 'string', default: '8' },
  exit: { type: 'string', default: 'certain' },
  sim: { type: 'string' },
  trees: { type: 'string' },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false, short: 'h' },
} as const;

const exitNames = ['certain', 'settled'] as const;

interface Settings {
  readonly exit: (typeof exitNames)[number];
  readonly choice: QuestionChoice;
  readonly own: OwnModelOptions;
  readonly wish: Wish & { readonly rollouts: number };
  readonly lossBudget: number;
  readonly seed: number;
  readonly concurrency: number;
  readonly out: string;
  readonly json: boolean;
  readonly sim?: SettingName;
  readonly trees?: string;
}

export async function run(args: readonly string[]): Promise<number> {
  const settings = readSettings(args);
  if (settings === undefined) {
    console.log(usage);
    return 0;
  }
  checkOut(settings.out);
  const isSimulated = settings.sim !== undefined || settings.trees !== undefined;
  const { section, model } = isSimulated ? await calibrateSimulated(settings) : await calibrateModel(settings);
  writeSection(settings.out, model, section);
  const report = `${thresholdReport(section)}\n\nwritten to ${settings.out}, for generator '${model.generator}' and verifier '${model.verifier}'`;
  console.log(settings.json ? JSON.stringify(section, undefined, 1) : report);
  return 0;
}

interface Calibrated {
  readonly section: CalibrationSection;
  readonly model: ModelIdentity;
}

/** In virtual time: the questions of a profile, or those of a recording. */
async function calibrateSimulated(settings: Settings): Promise<Calibrated> {
  const { wish, sim = 'math500/8b', trees, choice, lossBudget, seed } = settings;
  const model = simulatedIdentity(trees);
  checkOutFor(settings.out, model);
  const simulated: PlannedModel = {
    config: modelConfig,
    engine: { capabilities: {} },
    verifier: { capabilities: { aggregation: 'product' } },
  };
  const { program, policy, ...knobs } = wish;
  const plan = ownPlan(simulated, 'every question', { threshold: searchDefaults.threshold, ...wish }, seed);
  const recorded = trees === undefined ? undefined : readTrees(trees).trees;
  const questions = Array.from({ length: recorded?.length ?? choice.size }, (_, at) => at);
  const place = {
    ...trialDefaults,
    setting: sim,
    seed,
    rollouts: plan.rollouts,
    threshold: plan.threshold,
    contender: { program: plan.program, policy: plan.policy, knobs },
    ...(trees === undefined ? {} : { trees }),
  };
  const answers = simulatedAnswers(place);
  const textOf = (at: number) => recorded?.[at]?.question ?? String(at);
  const run = runOf(plan, lossBudget, seed);
  const section =
    settings.exit === 'settled'
      ? settledSection(simulatedNotes(place, questions), run)
      : await calibrateThresholds({ ...run, questions, textOf, answers });
  return { section, model };
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
    const run = runOf(plan, lossBudget, seed);
    const textOf = ({ question }: GoldQuestion) => question;
    const section = isSettled
      ? settledSection(await contestNotes(contest, contender, questions, tick), run)
      : await calibrateThresholds({ ...run, questions, textOf, answers: contestAnswers(contest, contender, tick) });
    return { section, model: identity };
  } finally {
    await closeModel(model);
  }
}

function runOf(
  plan: SearchPlan,
  lossBudget: number,
  seed: number,
): Omit<ThresholdRun<never>, 'questions' | 'textOf' | 'answers'> {
  const { program, programOptions, branching, choose, rollouts } = plan;
  const search: CalibratedSearch = { program, options: programOptions, branching, choose, rollouts };
  return { search, candidates: candidatesFor(program, rollouts), lossBudget, seed };
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
  const { values } = readArguments({ args: [...args], options: flags });
  if (values.help) return undefined;
  if (values.calibration !== undefined)
    raise('bad-setting', '--calibration names a file to read; the one to write is --out');
  const exit = oneOf('exit', values.exit, exitNames);
  const wish = readWish({ ...(exit === 'settled' ? settledDefaults : defaultsOfCertain), ...values }, told);
  if (exit === 'settled' && wish.policy !== 'fast')
    raise('bad-setting', `--policy is '${wish.policy}'; --exit settled is about searches of policy fast`);
  return {
    exit,
    choice: readQuestionFlags(values),
    wish: { ...wish, rollouts: flagOf('rollouts', values.rollouts, requestKnobs.rollouts) },
    own: readModelFlags(values, programOf(wish.program ?? 'mcts').needsVerifier),
    lossBudget: flagOf('loss', values.loss, lossKnob),
    seed: flagOf('seed', values.seed, requestKnobs.seed),
    concurrency: whole('concurrency', values.concurrency, 1, 10_000, 'searches'),
    out: values.out,
    json: values.json,
    ...given('sim', values.sim, (name) => oneOf('sim', name, settingNames)),
    ...given('trees', values.trees, existing),
  };
}

function existing(file: string): string {
  return existsSync(file) ? file : raise('bad-setting', `--trees: cannot read ${file}`);
}
