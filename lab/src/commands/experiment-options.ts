// The options of `sim` and `figures`: those of a run, and those that change the experiment's plan (../experiment/plan.ts). A flag that the
// experiment does not read is refused.

import { raise } from '@coppice/core/base';
import type { LabExperiment } from '../experiment/experiment.ts';
import { type LabPlan, planDefaults, planFlagNames, planFlagOf } from '../experiment/plan.ts';
import { experiments } from '../experiments/list.ts';
import { flagOf, oneOf, readArguments, whole } from '../flags.ts';
import { defaultThreads } from '../sim/trial-pool.ts';

/** Folder of kept results and of charts that no page shows; not in git. */
export const resultsFolder = 'lab/results';
export const pagesFolder = 'lab/docs';
export const chartsFolder = `${pagesFolder}/experiments`;

const runFlags = {
  threads: { type: 'string' },
  out: { type: 'string' },
  results: { type: 'string' },
  fresh: { type: 'boolean' },
  json: { type: 'boolean' },
  markdown: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

/** How an experiment is run and where it leaves what it finds. */
interface RunOptions {
  readonly threads: number;
  /** A folder for charts and other files. */
  readonly out: string | undefined;
  readonly results: string;
  readonly fresh: boolean;
  readonly print: 'text' | 'markdown' | 'json';
  readonly help: boolean;
}

export const runHelp = `  --markdown         tables in Markdown
  --json             all figures as JSON instead of tables
  --out FOLDER       where charts go
  --fresh            measures again what is kept from before
  --results FOLDER   where the results of cells are kept as they come, and found again (${resultsFolder})
  --threads N        trials at a time (all cores)`;

export function readFigures(args: readonly string[]): { readonly page: string | undefined; readonly run: RunOptions } {
  const { values, positionals } = readArguments({ args: [...args], options: runFlags, allowPositionals: true });
  if (positionals.length > 1) raise('bad-setting', `figures takes one page; there are ${positionals.join(', ')}`);
  return { page: positionals[0], run: runOf(values) };
}

type FlagValues = Readonly<Record<string, string | boolean | undefined>>;

export interface ExperimentOptions {
  readonly experiment: LabExperiment;
  readonly plan: LabPlan;
  readonly run: RunOptions;
}

export function readExperiment(args: readonly string[]): ExperimentOptions {
  const planOptions = Object.fromEntries(
    planFlagNames.map((name) => [name, { type: planFlagOf(name).takes === undefined ? 'boolean' : 'string' } as const]),
  );
  const own = { experiment: { type: 'string' }, full: { type: 'boolean' } } as const;
  const values: FlagValues = readArguments({
    args: [...args],
    options: { ...planOptions, ...runFlags, ...own },
  }).values;
  const experiment = experimentOf(String(values.experiment ?? 'comparison'));
  return { experiment, plan: planOf(experiment, values), run: runOf(values) };
}

function experimentOf(name: string): LabExperiment {
  const names = experiments.map((each) => each.name);
  return experiments[names.indexOf(oneOf('experiment', name, names))]!;
}

function planOf(experiment: LabExperiment, values: FlagValues): LabPlan {
  const { name, preset, full, flags, leastRequests } = experiment;
  const foreign = [...planFlagNames, 'full' as const].find(
    (flag) => values[flag] !== undefined && !(flag === 'full' ? full !== undefined : flags.includes(flag)),
  );
  if (foreign !== undefined) raise('bad-setting', `--${foreign} has no meaning with --experiment ${name}`);
  let plan: LabPlan = { ...planDefaults, ...preset, ...(values.full === true && full) };
  const known = plan.rows;
  for (const flag of planFlagNames) {
    if (values[flag] !== undefined) plan = { ...plan, ...planFlagOf(flag).read(String(values[flag]), plan) };
  }
  if (experiment.ownRows) checkRows(plan, known, name);
  return { ...plan, requests: requestsOf(values.requests, plan, leastRequests ?? plan.budget + 2) };
}

/** A backlog must fill the budget; questions that come one by one need not. */
function requestsOf(text: string | boolean | undefined, { requests }: LabPlan, least: number): number {
  if (text === undefined) return Math.max(requests, least);
  return flagOf('requests', String(text), { low: least, high: 1_000_000, unit: 'requests', whole: true, why: '' });
}

function checkRows({ rows }: LabPlan, known: readonly string[], name: string): void {
  const foreign = rows.find((row) => !known.includes(row));
  if (foreign !== undefined)
    raise('bad-setting', `--policy is '${foreign}'; --experiment ${name} has ${known.join(', ')}`);
}

function runOf(values: FlagValues): RunOptions {
  const { threads, out, results, fresh, json, markdown, help } = values;
  return {
    threads: threads === undefined ? defaultThreads() : whole('threads', String(threads), 1, 256, 'threads'),
    out: out === undefined ? undefined : String(out),
    results: String(results ?? resultsFolder),
    fresh: fresh === true,
    print: json === true ? 'json' : markdown === true ? 'markdown' : 'text',
    help: help === true,
  };
}
