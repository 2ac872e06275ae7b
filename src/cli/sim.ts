// `coppice sim`: P0's comparison in virtual time. Reads its options, runs the plan on all cores, prints one table (or
// JSON), and says what it ran so that anyone can run it again.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { raise } from '../base/fault.ts';
import { type Cell, type ComparisonPlan, compare, parseLoad } from '../bench/comparison.ts';
import { contenderOf, type RowName, rows } from '../bench/contenders.ts';
import { warmUpShare } from '../bench/measures.ts';
import { type Figure, makeFigures } from '../bench/p0-figures.ts';
import { defaultThreads, Pool } from '../bench/pool.ts';
import { type Preset, presets } from '../bench/presets.ts';
import { bySetting, linesOf } from '../bench/report.ts';
import { type GpuName, gpus, searchDefaults, settingNames, settingOf } from '../bench/settings.ts';
import { simSignature } from '../bench/signature.ts';
import { tableOf } from '../bench/table.ts';
import { knobs } from '../policy/knobs.ts';

const usage = `usage: coppice sim [options]
Compares the policies of P0 in virtual time, on simulated GPUs with measured step times. Every figure is simulated.

  --policy ROWS      ${rows.join(', ')}; a policy may have knobs turned, as in
                     boost:first=boost:beta=0 (${Object.keys(knobs).join(', ')})
  --setting NAMES    ${settingNames.join(', ')}
  --load LOADS       arrival rates as multiples of measured capacity: 0.6v is 0.6 of vanilla's, 1p is positive's
  --seed N           the first seed; the others follow it
  --seeds N          how many seeds
  --requests N       requests of each run
  --budget M         strands in all (${searchDefaults.budget})
  --rollouts N       rollouts of a search (${searchDefaults.rollouts})
  --threshold X      score at which an answer is accepted (${searchDefaults.threshold})
  --roofline GPU     step times from a roofline of ${Object.keys(gpus).join(' or ')} instead of the measured tables
  --base ROW         the second row to compare with (positive)
  --no-prefix-reuse  the verifier computes prompt and path again for every step
  --full             the published size
  --each             also a table per setting
  --experiment p0    also the figures 2, 4 and 7 of the paper as SVG, under --out (docs/experiments)
  --experiment knobs boost with one knob turned at a time, on the seeds kept for choosing them
  --experiment calibration  how near the question profiles come to the paper, on the seeds they were fitted on
  --signature        only prints a hash of a small canonical run
  --json             prints JSON instead of tables
  --threads N        trials at a time (all cores)

Lists are separated by commas. Same options, same output, whatever the number of threads.`;

interface Options {
  readonly plan: ComparisonPlan;
  readonly each: boolean;
  readonly figures: boolean;
  readonly full: boolean;
  readonly out: string;
  readonly signature: boolean;
  readonly json: boolean;
  readonly threads: number;
  readonly help: boolean;
}

export async function run(args: readonly string[]): Promise<number> {
  const options = readOptions(args);
  if (options.help) {
    console.log(usage);
    return 0;
  }
  if (options.signature) {
    console.log(simSignature());
    return 0;
  }
  const startMs = performance.now();
  const pool = new Pool({ threads: options.threads, onProgress: progress(startMs) });
  try {
    const cells = await compare(options.plan, pool);
    const figures = options.figures ? await makeFigures(options.plan, pool, options.full) : [];
    endProgress();
    console.log(options.json ? jsonOf(options, cells, figures) : textOf(options, cells));
    if (options.figures) writeFigures(options.out, figures);
  } finally {
    await pool.close();
  }
  return 0;
}

function readOptions(args: readonly string[]): Options {
  const values = parse(args);
  const { full = false, experiment } = values;
  const preset = presetOf(experiment, full);
  const first = whole('seed', values.seed, preset.seed, 0, 1e9);
  const count = whole('seeds', values.seeds, preset.seeds, 1, 1000);
  const budget = whole('budget', values.budget, searchDefaults.budget, 8, 100_000);
  return {
    plan: {
      settings: list(values.setting, preset.settings).map((name) => settingOf(name).name),
      rows: list(values.policy, preset.rows).map(rowOf),
      base: rowOf(values.base ?? preset.base),
      seeds: Array.from({ length: count }, (_, at) => first + at),
      loads: list(values.load, preset.loads).map(parseLoad),
      requests: whole('requests', values.requests, preset.requests, budget + 2, 1_000_000),
      budget,
      rollouts: whole('rollouts', values.rollouts, searchDefaults.rollouts, 1, 10_000),
      threshold: thresholdOf(values.threshold),
      roofline: rooflineOf(values.roofline),
      verifierReuses: values['no-prefix-reuse'] !== true,
    },
    ...{ full, each: values.each === true, figures: experiment === 'p0', out: values.out ?? 'docs/experiments' },
    ...{ signature: values.signature === true, json: values.json === true, help: values.help === true },
    threads: whole('threads', values.threads, defaultThreads(), 1, 256),
  };
}

function presetOf(experiment: string | undefined, full: boolean): Preset {
  if (experiment === undefined || experiment === 'p0') return full ? presets.full : presets.default;
  if (experiment === 'knobs' || experiment === 'calibration') return presets[experiment];
  return raise('bad-setting', `experiment is '${experiment}'; it must be p0, knobs or calibration`);
}

function parse(args: readonly string[]) {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean' } as const;
  try {
    const parsed = parseArgs({
      args: joinNegatives(args),
      options: {
        ...{ policy: text, setting: text, load: text, seed: text, seeds: text, requests: text, budget: text },
        ...{ experiment: text, out: text, threads: text, base: text, rollouts: text, threshold: text, roofline: text },
        ...{ full: flag, each: flag, signature: flag, json: flag, help: { type: 'boolean', short: 'h' } },
        'no-prefix-reuse': flag,
      },
    });
    return parsed.values;
  } catch (error) {
    const [line] = String(error instanceof Error ? error.message : error).split(/\.?[ \n](?=To|Did)/);
    return raise('bad-setting', `${line}; coppice sim --help lists the options`);
  }
}

/** `--seeds -1` means what it says, and is refused for its value. */
function joinNegatives(args: readonly string[]): string[] {
  const joined: string[] = [];
  for (const arg of args) {
    if (/^-\d/.test(arg) && joined.at(-1)?.startsWith('--')) joined.push(`${joined.pop()}=${arg}`);
    else joined.push(arg);
  }
  return joined;
}

function rowOf(name: string): RowName {
  contenderOf(name);
  return name;
}

function list(text: string | undefined, otherwise: readonly string[]): readonly string[] {
  return text === undefined ? otherwise : [...new Set(text.split(',').map((each) => each.trim()))];
}

function whole(setting: string, text: string | undefined, otherwise: number, low: number, high: number): number {
  if (text === undefined) return Math.max(otherwise, low);
  const value = Number(text);
  if (text.trim() !== '' && Number.isInteger(value) && value >= low && value <= high) return value;
  return raise('bad-setting', `${setting} is '${text}'; it must be a whole number from ${low} to ${high}`);
}

function thresholdOf(text: string | undefined): number {
  const value = text === undefined ? searchDefaults.threshold : Number(text);
  if (text?.trim() !== '' && value >= 0 && value <= 1) return value;
  return raise('bad-setting', `threshold is '${text}'; it must be a number from 0 to 1`);
}

function rooflineOf(text: string | undefined): GpuName | undefined {
  if (text === undefined || text === 'h100' || text === 'h200') return text;
  return raise('bad-setting', `roofline is '${text}'; it must be one of ${Object.keys(gpus).join(', ')}`);
}

function progress(startMs: number): (done: number, all: number) => void {
  return (done, all) => {
    const seconds = Math.round((performance.now() - startMs) / 1000);
    const line = `${done} of ${all} runs, ${seconds} s`;
    if (process.stderr.isTTY) process.stderr.write(`\r${line} `);
    else if (done % 16 === 0 || done === all) process.stderr.write(`${line}\n`);
  };
}

function endProgress(): void {
  if (process.stderr.isTTY) process.stderr.write('\r\x1b[K');
}

function textOf({ plan, each }: Options, cells: readonly Cell[]): string {
  const tables = [headOf(plan), '', tableOf(linesOf(cells, plan.base))];
  if (each)
    for (const [setting, own] of bySetting(cells))
      tables.push('', `## ${setting}`, '', tableOf(linesOf(own, plan.base)));
  return tables.join('\n');
}

function headOf(plan: ComparisonPlan): string {
  const { requests, seeds, budget, settings, verifierReuses, base, threshold, rollouts, roofline } = plan;
  const { branching } = searchDefaults;
  const times = roofline === undefined ? 'as measured on an H200' : `by a roofline of the ${roofline.toUpperCase()}`;
  return [
    `Simulated: ${settings.join(', ')}; ${requests} requests a run, the first ${100 * warmUpShare} % left out of latencies;`,
    `seeds ${seeds.join(', ')}; M = ${budget} strands, ${rollouts} rollouts of ${branching} steps, threshold ${threshold};`,
    `step times ${times}; verifier ${verifierReuses ? 'reuses its prefixes' : 'computes every prefix again'}.`,
    'Means over settings (times, rates and ratios geometric), ± the 95 % interval over seeds. req/s: requests over',
    'makespan; cap/s: sustained capacity; exits: accepted/futile/exhausted. Ratios: above 1 is better than vanilla (×v)',
    `or than ${base} (×b); Δacc in points of accuracy.`,
  ].join('\n');
}

function jsonOf({ plan }: Options, cells: readonly Cell[], figures: readonly Figure[]): string {
  const data = figures.map(({ name, data }) => ({ name, data }));
  return JSON.stringify(
    { simulated: true, plan, lines: linesOf(cells, plan.base), cells, figures: data },
    undefined,
    1,
  );
}

function writeFigures(folder: string, figures: readonly Figure[]): void {
  mkdirSync(folder, { recursive: true });
  for (const { name, svg } of figures) {
    const path = join(folder, `${name}.svg`);
    writeFileSync(path, svg);
    console.error(`wrote ${path}`);
  }
}
