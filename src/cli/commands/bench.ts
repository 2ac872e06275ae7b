// `coppice bench`: a set of questions through greedy, best-of-n, beam and MCTS under each policy, on the embedded engine;
// one table. Every trial can be kept in a file, from which an interrupted run goes on.

import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { closeModel } from '../../answering/open-model.ts';
import { openModel } from '../../answering/open-models.ts';
import { type OwnModelOptions, ownModel } from '../../answering/own-model.ts';
import { type GoldQuestion, readQuestions } from '../../answering/question-file.ts';
import { isRight } from '../../answering/question-form.ts';
import { raise } from '../../base/fault.ts';
import {
  type Contender,
  type Contest,
  type ContestSettings,
  runBlock,
  type Trial,
} from '../../bench/contest/contest.ts';
import { type Tally, tally, unsolvedIn } from '../../bench/contest/tally.ts';
import { tallyTable } from '../../bench/contest/tally-table.ts';
import { budgetKnob } from '../../config/machine-knobs.ts';
import { requestKnobs, type SearchKnob } from '../../config/vocabulary.ts';
import { type PolicyName, policyNames } from '../../policy/policy.ts';
import { type ProgramName, programNames, programOf } from '../../program/registry/programs.ts';
import { knobOptions, knobUsage, optionKnobs, readWish } from '../terminal/knob-flags.ts';
import { modelOptions, modelUsage, readModelFlags } from '../terminal/model-flags.ts';
import { flagOf, given, oneOf, readArguments, whole } from '../terminal/options.ts';
import { duration, LiveBlock, progressBar } from '../terminal/terminal.ts';

/** What all contenders are told. */
const main = ['branching', 'threshold', 'choose', 'temperature'] as const satisfies SearchKnob[];
const sizes = ['topP', 'topK', 'minP', 'stepTokens', 'maxDepth', 'tokenBudget'] as const satisfies SearchKnob[];
const told: readonly SearchKnob[] = [...main, ...sizes, ...optionKnobs];
const ownDefaults = {
  branching: '8 for the shipped models, else 4',
  choose: 'vote for the shipped models, else best',
  temperature: '1 for the shipped models, else 0.8',
} as const;

const tasks = ['countdown', 'word-problem'] as const;
const splits = ['test', 'calibration'] as const;

const usage = `usage: coppice bench [options]
Answers a set of questions with several programs and policies, on the embedded engine or on servers, and prints one table.

  --task NAME           a shipped task: ${tasks.join(', ')} (countdown)
  --split NAME          its test questions or its calibration questions (test)
  --questions FILE      your own: JSONL with question (or problem) and answer, or a CSV of Game-of-24 puzzles
  --range A-B           only questions A to B of the file, counted from 1
  --size N              so many questions, spread evenly over the set (40)
  --full                all of them
  --programs NAMES      of ${programNames.join(', ')}
  --policies NAMES      for mcts: ${policyNames.join(', ')}
  --rollouts N          ${requestKnobs.rollouts.why} (16)
${knobUsage(main, ownDefaults)}
  --concurrency N       searches at a time (8)
  --seed N              (1)
  --resume FILE         keeps every trial there, and does not repeat those that it holds
  --json                prints JSON instead of the table

the model:
${modelUsage}

of all searches, where their policy or program knows it:
${knobUsage([...sizes, ...optionKnobs])}`;

const defaults = { programs: 'greedy,best-of-n,beam,mcts', policies: policyNames.join(','), size: '40' };
const blockQuestions = 20; // questions that a contender answers before the next one has its turn
const equalTokensName = 'best-of-n, equal tokens';

const text = { type: 'string' } as const;
export const flags = {
  ...knobOptions(told),
  ...modelOptions,
  task: { type: 'string', default: 'countdown' },
  split: { type: 'string', default: 'test' },
  questions: text,
  range: text,
  size: { type: 'string', default: defaults.size },
  full: { type: 'boolean', default: false },
  programs: { type: 'string', default: defaults.programs },
  policies: { type: 'string', default: defaults.policies },
  rollouts: { type: 'string', default: '16' },
  concurrency: { type: 'string', default: '8' },
  seed: { type: 'string', default: '1' },
  resume: text,
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false, short: 'h' },
} as const;

type Settings = ContestSettings & {
  readonly own: OwnModelOptions;
  readonly task: (typeof tasks)[number];
  readonly split: (typeof splits)[number];
  readonly file?: string;
  readonly range?: readonly [number, number];
  readonly size: number;
  readonly full: boolean;
  readonly programs: readonly ProgramName[];
  readonly policies: readonly PolicyName[];
  readonly rollouts: number;
  readonly resume?: string;
  readonly json: boolean;
};

export async function run(args: readonly string[]): Promise<number> {
  const settings = readSettings(args);
  if (settings === undefined) {
    console.log(usage);
    return 0;
  }
  const questions = chooseQuestions(settings);
  const contenders = contendersOf(settings);
  const kept = new Trials(settings);
  const model = await openModel(ownModel(settings.own), process.env);
  for (const warning of model.warnings ?? []) console.error(`warning: ${warning}`);
  try {
    const contest: Contest = { model, settings, isCorrect: isRight };
    const comparesTokens = settings.programs.includes('best-of-n') && settings.programs.includes('mcts');
    const rows = contenders.length + (comparesTokens ? 1 : 0);
    const watch = new Progress(settings, kept, questions.length * rows);
    await runAll(contest, contenders, questions, kept, watch);
    if (comparesTokens) {
      const equal = equalTokens(kept, settings);
      await runAll(contest, [equal], questions, kept, watch);
      contenders.push(equal);
    }
    watch.end();
    print(settings, model.note ?? model.config.name, questions, contenders, kept);
    return 0;
  } finally {
    await closeModel(model);
  }
}

async function runAll(
  contest: Contest,
  contenders: readonly Contender[],
  questions: readonly GoldQuestion[],
  kept: Trials,
  watch: Progress,
): Promise<void> {
  for (let start = 0; start < questions.length; start += blockQuestions) {
    const block = questions.slice(start, start + blockQuestions);
    for (const contender of contenders) {
      const open = block.filter((question) => !kept.has(contender.name, question.id));
      if (open.length === 0) continue;
      await runBlock(contest, contender, open, (trial) => {
        kept.add(trial);
        watch.tick(trial);
      });
    }
  }
}

/** The trials so far, in memory and, where asked for, in a file. */
class Trials {
  readonly #byContender = new Map<string, Map<string, Trial>>();
  readonly #file: string | undefined;

  constructor(settings: Settings) {
    this.#file = settings.resume;
    if (this.#file === undefined) return;
    const configuration = JSON.stringify(configurationOf(settings));
    if (!existsSync(this.#file)) {
      writeFileSync(this.#file, `${configuration}\n`);
      return;
    }
    const [head, ...lines] = readFileSync(this.#file, 'utf8').split('\n');
    if (head !== configuration) {
      raise('bad-setting', `--resume ${this.#file} holds trials of other settings: ${head?.slice(0, 200)}`);
    }
    for (const line of lines) if (line !== '') this.#keep(parseTrial(this.#file, line));
  }

  has(contender: string, question: string): boolean {
    return this.#byContender.get(contender)?.has(question) ?? false;
  }

  of(contender: string): Trial[] {
    return [...(this.#byContender.get(contender)?.values() ?? [])];
  }

  get count(): number {
    return [...this.#byContender.values()].reduce((sum, trials) => sum + trials.size, 0);
  }

  add(trial: Trial): void {
    this.#keep(trial);
    if (this.#file !== undefined) appendFileSync(this.#file, `${JSON.stringify(trial)}\n`);
  }

  #keep(trial: Trial): void {
    const trials = this.#byContender.get(trial.contender) ?? new Map<string, Trial>();
    trials.set(trial.question, trial);
    this.#byContender.set(trial.contender, trials);
  }
}

function parseTrial(file: string, line: string): Trial {
  try {
    return JSON.parse(line) as Trial;
  } catch {
    return raise('bad-setting', `--resume ${file} has a line that is not JSON: ${line.slice(0, 80)}`);
  }
}

class Progress {
  readonly #block = new LiveBlock(process.stderr);
  readonly #startMs = performance.now();
  readonly #kept: Trials;
  readonly #total: number;
  readonly #before: number;
  readonly #settings: Settings;

  constructor(settings: Settings, kept: Trials, total: number) {
    this.#settings = settings;
    this.#kept = kept;
    this.#total = total;
    this.#before = kept.count;
    if (settings.full) process.stderr.write('the whole set: the time left is shown after the first answers\n');
  }

  tick(trial: Trial): void {
    const done = this.#kept.count;
    const spentMs = performance.now() - this.#startMs;
    const leftMs = (spentMs / Math.max(1, done - this.#before)) * Math.max(0, this.#total - done);
    const line = `${progressBar(done, this.#total, 30)}  ${duration(leftMs)} left  ${trial.contender}`;
    if (process.stderr.isTTY) this.#block.draw([line]);
    else if (!this.#settings.json && done % 50 === 0) process.stderr.write(`${line}\n`);
  }

  end(): void {
    this.#block.clear();
  }
}

function contendersOf(settings: Settings): Contender[] {
  const { rollouts } = settings;
  const all: Contender[] = [
    { name: 'greedy', program: 'greedy', policy: 'vanilla', rollouts: 1 },
    { name: `best-of-${rollouts}`, program: 'best-of-n', policy: 'vanilla', rollouts },
    { name: `self-consistency ${rollouts}`, program: 'self-consistency', policy: 'vanilla', rollouts },
    { name: 'beam', program: 'beam', policy: 'positive', rollouts },
    ...settings.policies.map((policy): Contender => ({ name: `mcts ${policy}`, program: 'mcts', policy, rollouts })),
  ];
  return all.filter(({ program }) => settings.programs.includes(program));
}

/** Best-of-n with as many samples as cost what vanilla MCTS (or the first policy asked for) cost. */
function equalTokens(kept: Trials, settings: Settings): Contender {
  const policy = settings.policies.includes('vanilla') ? 'vanilla' : settings.policies[0]!;
  const mcts = tally('', kept.of(`mcts ${policy}`)).tokens;
  const sample = tally('', kept.of(`best-of-${settings.rollouts}`)).tokens / settings.rollouts;
  const rollouts = Math.max(1, Math.round(mcts / Math.max(1, sample)));
  return { name: equalTokensName, program: 'best-of-n', policy: 'vanilla', rollouts };
}

function chooseQuestions(settings: Settings): readonly GoldQuestion[] {
  const file = settings.file ?? taskFile(settings);
  const all = readQuestions(file);
  const [from, to] = settings.range ?? [1, all.length];
  if (to > all.length) raise('bad-setting', `--range ends at ${to}; ${file} has ${all.length} questions`);
  const ranged = all.slice(from - 1, to);
  if (settings.full || settings.size >= ranged.length) return ranged;
  return Array.from({ length: settings.size }, (_, at) => ranged[Math.floor((at * ranged.length) / settings.size)]!);
}

function print(
  settings: Settings,
  note: string,
  questions: readonly GoldQuestion[],
  contenders: readonly Contender[],
  kept: Trials,
): void {
  const ids = new Set(questions.map(({ id }) => id));
  const trials = contenders.map(({ name }) => kept.of(name).filter(({ question }) => ids.has(question)));
  const unsolved = unsolvedIn(trials.flat());
  const tallies = contenders.map(({ name }, at) => tally(name, trials[at]!, unsolved));
  const configuration = configurationOf(settings);
  if (settings.json) {
    console.log(JSON.stringify({ ...configuration, note, contenders, tallies }));
    return;
  }
  console.log(`${questions.length} questions, ${note}`);
  console.log(tallyTable(tallies));
  console.log(`\n${configurationLine(configuration)}\n${equalTokensLine(contenders, tallies)}`.trimEnd());
}

function equalTokensLine(contenders: readonly Contender[], tallies: readonly Tally[]): string {
  const at = contenders.findIndex(({ name }) => name === equalTokensName);
  return at < 0
    ? ''
    : `equal tokens: ${contenders[at]!.rollouts} samples, ${tallies[at]!.tokens.toFixed(0)} tokens a question`;
}

/** What was given, and what holds where nothing was. */
function configurationOf({ own, wish, task, split, file, range, size, full, rollouts, ...rest }: Settings) {
  const { concurrency, budget, seed } = rest;
  const { model = 'sapling', engines, verifiers, kind, prm, reading } = own;
  const servers = { engines: engines?.join(' '), verifiers: verifiers?.join(' '), kind };
  const { check, branching, threshold, choose, sampling } = ownModel(own);
  const questions = { questions: file ?? `${task}.${split}`, range, size: full ? 'full' : size };
  const search = { branching, threshold, choose, temperature: sampling.temperature, ...wish };
  return {
    model: engines === undefined ? model : own.model,
    ...servers,
    prm,
    check,
    reading,
    ...questions,
    rollouts,
    ...search,
    concurrency,
    budget,
    seed,
  };
}

function configurationLine(configuration: ReturnType<typeof configurationOf>): string {
  return Object.entries(configuration)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name} ${Array.isArray(value) ? value.join('-') : value}`)
    .join(', ');
}

function readSettings(args: readonly string[]): Settings | undefined {
  const { values } = readArguments({ args: [...args], options: flags });
  if (values.help) return undefined;
  const programs = values.programs.split(',').map((name) => oneOf('programs', name.trim(), programNames));
  return {
    task: oneOf('task', values.task, tasks),
    split: oneOf('split', values.split, splits),
    size: whole('size', values.size, 1, 1_000_000, 'questions'),
    full: values.full,
    programs,
    policies: values.policies.split(',').map((name) => oneOf('policies', name.trim(), policyNames)),
    rollouts: flagOf('rollouts', values.rollouts, requestKnobs.rollouts),
    wish: readWish(values, told),
    own: readModelFlags(
      values,
      programs.some((name) => programOf(name).needsVerifier),
    ),
    concurrency: whole('concurrency', values.concurrency, 1, 10_000, 'searches'),
    budget: flagOf('budget', values.budget ?? '16', budgetKnob),
    seed: flagOf('seed', values.seed, requestKnobs.seed),
    json: values.json,
    ...given('file', values.questions, String),
    ...given('range', values.range, readRange),
    ...given('resume', values.resume, String),
  };
}

function readRange(text: string): readonly [number, number] {
  const [, from = '', to = ''] = text.match(/^(\d+)-(\d+)$/) ?? [];
  if (from === '' || Number(from) < 1 || Number(to) < Number(from)) {
    raise('bad-setting', `--range is '${text}'; it must be two numbers from 1, such as 901-1000`);
  }
  return [Number(from), Number(to)];
}

function taskFile({ task, split }: Settings): string {
  return fileURLToPath(new URL(`../../../tasks/${task}.${split}.jsonl`, import.meta.url));
}
