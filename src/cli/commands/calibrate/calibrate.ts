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
import {
  modelConfig,
  type SettingName,
  searchDefaults,
  settingNames as simSettings,
} from '../../../bench/sim/settings.ts';
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
import { exampleServer, type Flags, type Help, helpAsked, helpFlag } from '../../terminal/help.ts';
import { knobFlags, readWish } from '../../terminal/knob-flags.ts';
import { modelFlags, readModelFlags } from '../../terminal/model-flags.ts';
import { flagOf, given, oneOf, readArguments, whole } from '../../terminal/options.ts';
import {
  chooseQuestions,
  type QuestionChoice,
  questionFlags,
  readQuestionFlags,
} from '../../terminal/question-flags.ts';
import { settingHelp } from '../../terminal/setting-help.ts';
import { readSettings, type SettingScope, setFlag, settingNames, settingOfFlag } from '../../terminal/settings.ts';

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
const defaults = {
  size: '460',
  loss: '0.5',
  rollouts: '16',
  out: 'calibration.json',
  program: 'self-consistency',
} as const;
const defaultsOfCertain = { program: defaults.program } as const;
const settledDefaults = { program: 'mcts', policy: 'fast' } as const;
const lossKnob = { low: 0, high: 100, unit: 'points of accuracy', why: '' } as const;

const scope: SettingScope = { search: told, model: () => true };

const exitGroup = {
  exit: {
    type: 'string',
    takes: 'NAME',
    default: 'certain',
    about: 'certain: answers agree; settled: more work is unlikely to help, of policy fast',
  },
  loss: { type: 'string', takes: 'X', default: defaults.loss, about: 'points of accuracy that may be lost' },
  out: {
    type: 'string',
    takes: 'FILE',
    default: defaults.out,
    about: 'the file; a section for the same search is replaced',
  },
  json: { type: 'boolean', default: false, about: 'prints the section as JSON' },
  ...helpFlag,
} as const satisfies Flags;
const questionGroup = {
  ...questionFlags('calibration', defaults.size),
  sim: {
    type: 'string',
    takes: 'SETTING',
    about: `--size simulated questions of ${simSettings.join(', ')} instead`,
    rare: true,
  },
  trees: {
    type: 'string',
    takes: 'FILE',
    about: 'the questions of recorded trees (bench --record), in virtual time, instead',
    rare: true,
  },
} as const satisfies Flags;
const searchGroup = {
  program: { ...knobFlags.program, about: 'how the tree grows (self-consistency; mcts with --exit settled)' },
  policy: { ...knobFlags.policy, rare: true },
  rollouts: { type: 'string', takes: 'N', default: defaults.rollouts, about: knobFlags.rollouts.about.split(',')[0]! },
  threshold: knobFlags.threshold,
  branching: knobFlags.branching,
  choose: knobFlags.choose,
  temperature: knobFlags.temperature,
  seed: { type: 'string', takes: 'N', default: '1', about: 'of the draws, and of which half a question is in' },
  concurrency: { type: 'string', takes: 'N', default: '8', about: 'searches at a time', rare: true },
  ...setFlag,
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
  const asked = helpAsked(args, help);
  if (asked !== undefined) {
    console.log(asked);
    return 0;
  }
  const settings = readArgs(args);
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

function readArgs(args: readonly string[]): Settings {
  const { values } = readArguments({ args: [...args], options: flags }, (flag) => settingOfFlag(flag, scope));
  if (values.calibration !== undefined)
    raise('bad-setting', '--calibration names a file to read; the one to write is --out');
  const exit = oneOf('exit', values.exit, exitNames);
  const set = readSettings(values.set, scope);
  const wish = { ...(exit === 'settled' ? settledDefaults : defaultsOfCertain), ...readWish(values, told, set.wish) };
  if (exit === 'settled' && wish.policy !== 'fast')
    raise('bad-setting', `--policy is '${wish.policy}'; --exit settled is about searches of policy fast`);
  return {
    exit,
    choice: readQuestionFlags(values),
    wish: { ...wish, rollouts: flagOf('rollouts', values.rollouts, requestKnobs.rollouts) },
    own: readModelFlags(values, programOf(wish.program ?? 'mcts').needsVerifier, set.model),
    lossBudget: flagOf('loss', values.loss, lossKnob),
    seed: flagOf('seed', values.seed, requestKnobs.seed),
    concurrency: whole('concurrency', values.concurrency, 1, 10_000, 'searches'),
    out: values.out,
    json: values.json,
    ...given('sim', values.sim, (name) => oneOf('sim', name, simSettings)),
    ...given('trees', values.trees, existing),
  };
}

function existing(file: string): string {
  return existsSync(file) ? file : raise('bad-setting', `--trees: cannot read ${file}`);
}
