// The options of `npm run lab -- sim`: read once, checked, and turned into a plan. A bad one is refused in one line that gives the
// value and what it may be.

import { policyNames } from 'coppice';
import {
  allRows,
  budgetKnob,
  flagOf,
  modelKnobs,
  type NumberKnob,
  oneOf,
  parseLoad,
  policyKnobs,
  programKnobs,
  type RowName,
  raise,
  readArguments,
  readTrees,
  requestKnobs,
  rows,
  searchDefaults,
  settingNames,
} from 'coppice/internals';
import { openSimulatedCalibration } from '../policies/simulated-calibration.ts';
import type { ComparisonPlan } from '../sim/comparison.ts';
import { ablatedRows, contenderOf } from '../sim/contenders.ts';
import { machines, readMachine } from '../sim/machine.ts';
import { type Preset, presets } from '../sim/presets.ts';
import { type GpuName, gpus, settingOf } from '../sim/settings.ts';
import { defaultThreads } from '../sim/trial-pool.ts';

/** Points of accuracy that `fast` may lose where nobody says otherwise. */
const lossBudget = 0.5;
const otherRows = allRows.slice(rows.length);

export const usage = `usage: npm run lab -- sim [options]
Compares the policies of P0 in virtual time, on simulated GPUs with measured step times. Every figure is simulated.

  --policy ROWS      ${rows.join(', ')},
                     ${otherRows.join(', ')}; any may have knobs turned, as in
                     boost:gate=0:firstDepthCut=0.4 (${Object.keys(policyKnobs).join(', ')};
                     of the programs ${Object.keys(programKnobs).join(', ')})
  --setting NAMES    ${settingNames.join(', ')}
  --load LOADS       arrival rates as multiples of measured capacity: 0.6v is 0.6 of vanilla's, 1p is positive's; none for
                     all requests at once alone
  --seed N           the first seed; the others follow it
  --seeds N          how many seeds
  --requests N       requests of each run
  --deadline S       seconds from arrival of an easy question, twice and three times as long for harder ones: the best so far is
                     given then, and how many ended by themselves in time is a column
  --budget M         strands in all (${searchDefaults.budget})
  --rollouts N       rollouts of a search (${searchDefaults.rollouts})
  --threshold X      score at which an answer is accepted (${searchDefaults.threshold})
  --roofline GPU     step times from a roofline of ${Object.keys(gpus).join(' or ')} instead of the measured tables
  --machine NAME     servers as coppice doctor --table measured them, by file; ${Object.keys(machines).join(' and ')} ship
  --trees FILE       draws from recorded trees (npm run lab -- record) instead of the question profiles
  --calibration FILE what the calibrated exit of fast goes by, as --experiment hazard writes it; without one it does not fire
  --fit FILE         only fits a question profile to recorded trees and says how well it fits
  --ablate POLICY    a policy beside itself without each of its parts in turn; all are compared with it
  --base ROW         the second row to compare with (positive)
  --no-prefix-reuse  the verifier computes prompt and path again for every step
  --full             the published size
  --each             also a table per setting
  --experiment p0    also the figures 2, 4 and 7 of the paper as SVG, under --out (lab/docs/experiments)
  --experiment p1    token-to-accuracy with and without exits of certainty, at the caps of P1's table 2
  --experiment p1-levels  arrival rates and deadlines at 90 % attainment, order by order; part of p1 with --full
  --experiment p2    where token-level drafting pays: a 70B target with small drafts, P2's way, the shipped models; as SVG
  --experiment p3    what speculation gives: every kind of program with and without, one search at a time and several; whole, also a chart under --out
  --experiment p4    goodput of beam search on P4's consumer GPU by its parts, up to 128 beams; --full to 512; a chart under --out
  --experiment programs  the rows of P0 beside greedy, self-consistency and best-of-n
  --experiment knobs boost with one knob turned at a time, on the seeds kept for choosing them
  --experiment policies  safe and fast beside positive, boost and TAPER's rule, up to deep overload; a chart under --out
  --experiment accuracy  right answers of each policy, paired with positive, with one strand a search and with all
  --experiment waste     where the tokens of each policy go, beside one who knows the end
  --experiment fairness  how many times longer each request takes in company than alone, by policy and order
  --experiment random    safe against the best of positive, boost and TAPER's rule in --settings random settings; the worst
  --settings N       of --experiment random (200)
  --experiment hazard    calibrates the exits of fast on seeds kept for it, tries them across settings, writes --out/hazard.json
  --loss-budget P    of --experiment hazard: most points of accuracy to lose, upper end of the 95 % interval (${lossBudget})
  --experiment under-load  whether speculation hurts under load: --settings random settings, with it and without
  --settings N       of --experiment random (200) and under-load (100)
  --range A-B        of --experiment under-load: only settings A to B, counted from 1
  --experiment calibration  how near the question profiles come to the paper, on the seeds they were fitted on
  --signature        only prints a hash of a small canonical run
  --resume FILE      keeps finished trials there, and takes those that are there from it: a long run can be stopped
  --json             prints JSON instead of tables
  --threads N        trials at a time (all cores)

Lists are separated by commas. Same options, same output, whatever the number of threads.`;

export interface SimOptions {
  /** Its name; undefined for the comparison of policies. */
  readonly experiment: string | undefined;
  readonly plan: ComparisonPlan;
  readonly each: boolean;
  /** P1's deadlines, with so many requests a run. */
  readonly levels: number | undefined;
  /** Most beams of P4's figure, in place of the comparison. */
  readonly mostBeams: number | undefined;
  readonly out: string;
  /** A recording to fit a profile to, in place of any run. */
  readonly fit: string | undefined;
  readonly signature: boolean;
  readonly json: boolean;
  readonly threads: number;
  readonly resume: string | undefined;
  /** So many random settings in place of the comparison. */
  readonly random: number | undefined;
  /** Points of accuracy to lose, where the calibrated exit is calibrated in place of the comparison. */
  readonly lossBudget: number | undefined;
  /** The first and the last of the settings in which speculation is compared with none, from 0. */
  readonly underLoad: readonly [number, number] | undefined;
  readonly help: boolean;
}

export function readOptions(args: readonly string[]): SimOptions {
  const values = parse(args);
  const { full = false, experiment } = values;
  if (values.machine !== undefined && (values.roofline !== undefined || values['no-prefix-reuse'] === true))
    raise('bad-setting', '--machine says its own times and reuse; leave out --roofline and --no-prefix-reuse');
  if ((experiment === 'p2' || experiment === 'p4') && values.requests !== undefined)
    raise('bad-setting', `--requests has no meaning with --experiment ${experiment}, which has its own number`);
  const preset = presetOf(experiment, full);
  const ablated = values.ablate === undefined ? undefined : ablatedRows(oneOf('ablate', values.ablate, policyNames));
  const first = number('seed', values.seed, preset.seed, requestKnobs.seed);
  const count = whole('seeds', values.seeds, preset.seeds, 1, 1000, 'seeds');
  const budget = number('budget', values.budget, searchDefaults.budget, { ...budgetKnob, low: 8 });
  return {
    experiment,
    plan: {
      settings: list(values.setting, preset.settings).map((name) => settingOf(name).name),
      rows: ablated ?? chosenRows(list(values.policy, preset.rows).map(rowOf), preset, experiment),
      base: rowOf(values.base ?? ablated?.[0] ?? preset.base),
      seeds: Array.from({ length: count }, (_, at) => first + at),
      loads: values.load === 'none' ? [] : list(values.load, preset.loads).map(parseLoad),
      requests: whole(
        'requests',
        values.requests,
        preset.requests,
        leastRequests(experiment, budget),
        1_000_000,
        'requests',
      ),
      budget,
      rollouts: number('rollouts', values.rollouts, searchDefaults.rollouts, requestKnobs.rollouts),
      threshold: number('threshold', values.threshold, searchDefaults.threshold, modelKnobs.threshold),
      roofline: rooflineOf(values.roofline),
      machine: values.machine === undefined ? undefined : readMachine(values.machine),
      verifierReuses: values['no-prefix-reuse'] !== true,
      deadlineMs: values.deadline === undefined ? undefined : 1000 * flagOf('deadline', values.deadline, deadlineKnob),
      trees: values.trees && readTrees(values.trees) && values.trees,
      calibration: calibrationOf(values.calibration, values.trees),
    },
    each: values.each === true,
    out: values.out ?? 'lab/docs/experiments',
    levels: levelRequests(experiment, full, values.requests),
    mostBeams: experiment === 'p4' ? (full ? 512 : 128) : undefined,
    fit: values.fit,
    signature: values.signature === true,
    json: values.json === true,
    help: values.help === true,
    resume: values.resume,
    random: experiment === 'random' ? whole('settings', values.settings, 200, 1, 100_000, 'settings') : undefined,
    lossBudget:
      experiment === 'hazard' ? number('loss-budget', values['loss-budget'], lossBudget, lossKnob) : undefined,
    underLoad: experiment === 'under-load' ? rangeOf(values.range, values.settings) : undefined,
    threads: whole('threads', values.threads, defaultThreads(), 1, 256, 'threads'),
  };
}

/** Experiments that have rows of their own take some of them, and no others. */
function chosenRows(asked: readonly RowName[], preset: Preset, experiment: string | undefined): readonly RowName[] {
  if (experiment !== 'p1' && experiment !== 'p1-levels') return asked;
  const foreign = asked.find((row) => !preset.rows.includes(row));
  if (foreign === undefined) return asked;
  const known = `--experiment ${experiment} has ${preset.rows.join(', ')}`;
  return raise('bad-setting', `--policy is '${foreign}'; ${known}`);
}

const deadlineKnob = { low: 0.001, high: 1e6, unit: 'seconds', why: '' };
const lossKnob = { low: 0, high: 100, unit: 'points of accuracy', why: '' };

function calibrationOf(file: string | undefined, trees: string | undefined): ComparisonPlan['calibration'] {
  return file === undefined ? undefined : openSimulatedCalibration(file, trees);
}

/** A backlog must fill the budget; questions that come one by one need not. */
function leastRequests(experiment: string | undefined, budget: number): number {
  return experiment === 'p3' ? 1 : budget + 2;
}

/** A queue must have time to grow: more requests than the curves take. */
function levelRequests(experiment: string | undefined, full: boolean, given: string | undefined): number | undefined {
  const isAsked = experiment === 'p1-levels' || (experiment === 'p1' && full);
  return isAsked ? whole('requests', given, presets['p1-levels'].requests, 20, 1_000_000, 'requests') : undefined;
}

function presetOf(experiment: string | undefined, full: boolean): Preset {
  if (experiment === undefined) return full ? presets.full : presets.default;
  if (experiment === 'p0') return full ? presets.full : { ...presets.default, loads: presets.full.loads };
  if (experiment === 'random' || experiment === 'p2') return presets.default;
  const others = [
    'p1',
    'p1-levels',
    'p3',
    'p4',
    'under-load',
    'programs',
    'knobs',
    'policies',
    'waste',
    'accuracy',
    'fairness',
    'hazard',
    'calibration',
  ] as const;
  const found = others.find((name) => name === experiment);
  if (found !== undefined) return presets[found];
  const known = ['p0', 'p2', ...others, 'random'].join(', ');
  return raise('bad-setting', `--experiment is '${experiment}'; it must be one of ${known}`);
}

const text = { type: 'string' } as const;
const flag = { type: 'boolean' } as const;
export const flags = {
  policy: text,
  setting: text,
  load: text,
  seed: text,
  seeds: text,
  requests: text,
  budget: text,
  experiment: text,
  out: text,
  threads: text,
  base: text,
  rollouts: text,
  threshold: text,
  roofline: text,
  machine: text,
  trees: text,
  fit: text,
  calibration: text,
  deadline: text,
  'loss-budget': text,
  ablate: text,
  settings: text,
  range: text,
  resume: text,
  full: flag,
  each: flag,
  signature: flag,
  json: flag,
  help: { type: 'boolean', short: 'h' },
  'no-prefix-reuse': flag,
} as const;

function parse(args: readonly string[]) {
  return readArguments({ args: [...args], options: flags }).values;
}

function rowOf(name: string): RowName {
  contenderOf(name);
  return name;
}

function list(text: string | undefined, otherwise: readonly string[]): readonly string[] {
  return text === undefined ? otherwise : [...new Set(text.split(',').map((each) => each.trim()))];
}

function number(option: string, text: string | undefined, otherwise: number, knob: NumberKnob): number {
  return text === undefined ? Math.max(otherwise, knob.low) : flagOf(option, text, knob);
}

function whole(
  option: string,
  text: string | undefined,
  otherwise: number,
  low: number,
  high: number,
  unit: string,
): number {
  return number(option, text, otherwise, { low, high, unit, whole: true, why: '' });
}

function rangeOf(range: string | undefined, settings: string | undefined): readonly [number, number] {
  const count = whole('settings', settings, 100, 1, 100_000, 'settings');
  const [, from = '1', to = String(count)] = range?.match(/^(\d+)-(\d+)$/) ?? [];
  const isRange = range === undefined || range === `${from}-${to}`;
  if (isRange && Number(from) >= 1 && Number(from) <= Number(to) && Number(to) <= count)
    return [Number(from) - 1, Number(to) - 1];
  return raise('bad-setting', `--range is '${range}'; it must be two numbers from 1 to ${count}, such as 1-25`);
}

function rooflineOf(text: string | undefined): GpuName | undefined {
  return text === undefined ? undefined : oneOf('roofline', text, Object.keys(gpus) as GpuName[]);
}
