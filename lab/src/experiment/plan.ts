// The plan of an experiment as plain data, and the flags that change it, one entry each. A flag that the experiment does not read is
// refused, and so is a bad value; one line gives the value and the allowed ones.

import { raise } from '@coppice/core/base';
import { budgetKnob, modelKnobs, requestKnobs } from '@coppice/core/config';
import { turnedKnobs } from '@coppice/core/policy';
import { programKnobs } from '@coppice/core/program';
import { policyNames } from 'coppice';
import { flagOf, oneOf, whole } from '../flags.ts';
import type { MeasuredMachine } from '../machine-table/measured-machine.ts';
import {
  allRows,
  type Load,
  parseLoad,
  type RowName,
  readRequestTrace,
  readTrees,
  rows,
  type SettingName,
  searchDefaults,
  settingNames,
  type TraceUse,
} from '../service/index.ts';
import { ablatedRows, contenderOf } from '../sim/contenders.ts';
import { machines, readMachine } from '../sim/machine.ts';
import { type GpuName, gpus, settingOf } from '../sim/settings.ts';
import { type ScoringName, scoringOf, scorings, type WorldName, worldOf, worlds } from '../sim/worlds.ts';

/** The common part of a plan's trials. */
export interface PlannedSystem {
  /** Requests of one run. */
  readonly requests: number;
  readonly budget: number;
  readonly rollouts: number;
  /** Steps of an expansion; the row's own unless told. */
  readonly branching?: number;
  readonly threshold: number;
  readonly verifierReuses: boolean;
  readonly roofline?: GpuName;
  /** Servers as `table` measured them, instead of P0's hardware. */
  readonly machine?: MeasuredMachine;
  /** Of an easy question; see TrialSpec. Not for the runs that measure capacity. */
  readonly deadlineMs?: number;
  /** A recording to draw from instead of the question profiles. */
  readonly trees?: string;
  /** Arrivals and lengths of a trace of requests. */
  readonly trace?: TraceUse;
  /** How the reward model errs, and how its rewards become scores; see sim/worlds.ts. */
  readonly world?: WorldName;
  readonly scoring?: ScoringName;
  /** The threshold was told: it counts more than the scoring's own. */
  readonly toldThreshold?: true;
}

export interface LabPlan extends PlannedSystem {
  readonly settings: readonly SettingName[];
  readonly rows: readonly RowName[];
  /** The second row that all are compared with, besides vanilla. */
  readonly base: RowName;
  readonly seeds: readonly number[];
  readonly loads: readonly Load[];
  /** Of a search in `worlds`: with one strand alone, and nothing with the budget. */
  readonly oneStrand: boolean;
  /** Also a table for every setting. */
  readonly each: boolean;
  /** How many settings are drawn at random, and which of them, counted from 1. */
  readonly draws: number;
  readonly range?: readonly [from: number, to: number];
  /** P4's numbers of beams. */
  readonly beams: readonly number[];
}

/** Seeds from 900 on fit the question profiles, and seeds from 800 on choose knobs; reported figures use seeds from 1 on. */
export const planDefaults: LabPlan = {
  settings: settingNames,
  rows,
  base: 'positive',
  seeds: [1],
  loads: [],
  requests: 144,
  budget: searchDefaults.budget,
  rollouts: searchDefaults.rollouts,
  threshold: searchDefaults.threshold,
  verifierReuses: true,
  oneStrand: false,
  each: false,
  draws: 100,
  beams: [],
};

interface PlanFlag {
  /** What its value is called; one without has none. */
  readonly takes?: string;
  readonly about: string;
  read(text: string, plan: LabPlan): Partial<LabPlan>;
}

/** Several may change the same part of a plan: they are read in this order, whatever order they were written in. */
const planFlags = {
  setting: {
    takes: 'NAMES',
    about: settingNames.join(', '),
    read: (text) => ({ settings: list(text).map((name) => settingOf(name).name) }),
  },
  policy: {
    takes: 'ROWS',
    about: `${allRows.join(', ')}; any may have knobs turned, as in boost:gate=0:firstDepthCut=0.4 (${[...Object.keys(turnedKnobs()), ...Object.keys(programKnobs)].join(', ')})`,
    read: (text) => ({ rows: list(text).map(rowOf) }),
  },
  ablate: {
    takes: 'POLICY',
    about: 'a policy beside itself without each of its parts in turn; all are compared with it',
    read: (text) => {
      const ablated = ablatedRows(oneOf('ablate', text, policyNames()));
      return { rows: ablated, base: ablated[0]! };
    },
  },
  base: { takes: 'ROW', about: 'the second row to compare with', read: (text) => ({ base: rowOf(text) }) },
  load: {
    takes: 'LOADS',
    about: "arrival rates as multiples of measured capacity: 0.6v is 0.6 of vanilla's, 1p is positive's; or none",
    read: (text) => ({ loads: text === 'none' ? [] : list(text).map(parseLoad) }),
  },
  seed: {
    takes: 'N',
    about: 'the first seed; the others follow it',
    read: (text, { seeds }) => ({ seeds: seedsFrom(flagOf('seed', text, requestKnobs.seed), seeds.length) }),
  },
  seeds: {
    takes: 'N',
    about: 'how many seeds',
    read: (text, { seeds }) => ({ seeds: seedsFrom(seeds[0]!, whole('seeds', text, 1, 1000, 'seeds')) }),
  },
  budget: {
    takes: 'M',
    about: 'strands in all',
    read: (text) => ({ budget: flagOf('budget', text, { ...budgetKnob, low: 8 }) }),
  },
  requests: { takes: 'N', about: 'requests of each run', read: (text) => ({ requests: Number(text) }) },
  rollouts: {
    takes: 'N',
    about: 'rollouts of a search',
    read: (text) => ({ rollouts: flagOf('rollouts', text, requestKnobs.rollouts) }),
  },
  branching: {
    takes: 'N',
    about: 'steps of an expansion, as many as those of --trees',
    read: (text) => ({ branching: flagOf('branching', text, modelKnobs.branching) }),
  },
  threshold: {
    takes: 'X',
    about: 'score at which an answer is accepted',
    read: (text) => ({ threshold: flagOf('threshold', text, modelKnobs.threshold), toldThreshold: true }),
  },
  deadline: {
    takes: 'S',
    about:
      'seconds from arrival of an easy question, two and three times as long for harder ones: the best so far then',
    read: (text) => ({ deadlineMs: 1000 * number('deadline', text, 0.001, 1e6, 'seconds') }),
  },
  'no-prefix-reuse': {
    about: 'the verifier computes prompt and path again for every step',
    read: () => ({ verifierReuses: false }),
  },
  roofline: {
    takes: 'GPU',
    about: `step times from a roofline of ${Object.keys(gpus).join(' or ')} instead of the measured tables`,
    read: (text) => ({ roofline: oneOf('roofline', text, Object.keys(gpus) as GpuName[]) }),
  },
  machine: {
    takes: 'NAME',
    about: `servers as npm run lab -- table measured them, by file; ${Object.keys(machines).join(' and ')} ship`,
    read: (text, { roofline, verifierReuses }) => {
      if (roofline !== undefined || !verifierReuses)
        raise('bad-setting', '--machine says its own times and reuse; leave out --roofline and --no-prefix-reuse');
      return { machine: readMachine(text) };
    },
  },
  trees: {
    takes: 'FILE',
    about: 'draws from recorded trees (coppice bench --record) instead of the question profiles',
    read: (text) => {
      readTrees(text);
      return { trees: text };
    },
  },
  trace: {
    takes: 'FILE',
    about: 'gaps between requests, prompt and answer lengths from a trace of requests; loads as 0.8/s',
    read: (text, { trees }) => {
      if (trees !== undefined)
        raise('bad-setting', '--trace and --trees both say how long answers are; give one of them');
      return { trace: { file: readRequestTrace(text).file } };
    },
  },
  world: {
    takes: 'NAME',
    about: `how rewards err: ${worlds.map(({ name }) => name).join(', ')}`,
    read: (text) => ({ world: worldOf(text).name }),
  },
  scoring: {
    takes: 'NAME',
    about: `how rewards become scores, with a threshold of its own where none is told: ${scorings.map(({ name }) => name).join(', ')}`,
    read: (text) => ({ scoring: scoringOf(text).name }),
  },
  'one-strand': {
    about: 'searches with one strand each, and none with the whole budget',
    read: () => ({ oneStrand: true }),
  },
  each: { about: 'also a table per setting', read: () => ({ each: true }) },
  settings: {
    takes: 'N',
    about: 'how many settings are drawn at random',
    read: (text) => ({ draws: whole('settings', text, 1, 100_000, 'settings') }),
  },
  range: {
    takes: 'A-B',
    about: 'only those from A to B, counted from 1',
    read: (text, { draws }) => ({ range: rangeOf(text, draws) }),
  },
  beams: {
    takes: 'NUMBERS',
    about: 'paths grown at a time',
    read: (text) => ({ beams: list(text).map((each) => whole('beams', each, 8, 512, 'beams')) }),
  },
} as const satisfies Record<string, PlanFlag>;

export type PlanFlagName = keyof typeof planFlags;
export const planFlagNames = Object.keys(planFlags) as readonly PlanFlagName[];

/** An entry as a plain `PlanFlag`. */
export function planFlagOf(name: PlanFlagName): PlanFlag {
  return planFlags[name];
}

export function seedsFrom(first: number, count: number): number[] {
  return Array.from({ length: count }, (_, at) => first + at);
}

export function listed(names: readonly string[]): readonly Load[] {
  return names.map(parseLoad);
}

function list(text: string): readonly string[] {
  return [...new Set(text.split(',').map((each) => each.trim()))];
}

function rowOf(name: string): RowName {
  contenderOf(name);
  return name;
}

function number(option: string, text: string, low: number, high: number, unit: string): number {
  return flagOf(option, text, { low, high, unit, why: '' });
}

function rangeOf(text: string, draws: number): readonly [number, number] {
  const [, from, to] = text.match(/^(\d+)-(\d+)$/)?.map(Number) ?? [];
  if (from !== undefined && to !== undefined && from >= 1 && from <= to && to <= draws) return [from, to];
  return raise('bad-setting', `--range is '${text}'; it must be two numbers from 1 to ${draws}, such as 1-25`);
}
