// `npm run lab -- sim`: P0's comparison in virtual time. Runs the plan on all cores, prints one table (or JSON), and says what it
// ran so that anyone can run it again.

import { readTrees, searchDefaults, warmUpShare } from 'coppice/internals';
import { experiments } from '../experiments.ts';
import { KeptResults } from '../kept-results.ts';
import { policyFigures } from '../policies/policy-figures.ts';
import { fitProfile } from '../profile-fit/fit-profile.ts';
import { fitTable } from '../profile-fit/fit-table.ts';
import { type Cell, type ComparisonPlan, compare } from '../sim/comparison.ts';
import { type Figure, makeFigures } from '../sim/p0-figures.ts';
import { bySetting, linesOf } from '../sim/report.ts';
import { simSignature } from '../sim/signature.ts';
import { tableOf } from '../sim/table.ts';
import type { TrialResult, TrialSpec } from '../sim/trial.ts';
import { TrialPool } from '../sim/trial-pool.ts';
import { readOptions, type SimOptions, usage } from './sim-options.ts';
import { endProgress, progress, writeFigures } from './sim-output.ts';

export { flags } from './sim-options.ts';

export async function run(args: readonly string[]): Promise<number> {
  const options = readOptions(args);
  if (options.help) {
    console.log(usage);
    return 0;
  }
  if (options.fit !== undefined) {
    console.log(fitOf(options.fit, options.json));
    return 0;
  }
  if (options.signature) {
    console.log(simSignature());
    return 0;
  }
  const startMs = performance.now();
  const asked = experiments.find(({ name }) => name === options.experiment);
  // Under load, whole settings are kept in place of trials.
  const keepsTrials = options.resume !== undefined && options.experiment !== 'under-load';
  const kept = keepsTrials ? new KeptResults<TrialSpec, TrialResult>(options.resume) : undefined;
  const drifts = new DriftedRows();
  const onResult = (spec: TrialSpec, result: TrialResult) => drifts.read(spec, result);
  const pool = new TrialPool({ threads: options.threads, onProgress: progress(startMs), kept, onResult });
  try {
    if (asked !== undefined) {
      await asked.run({ options, pool, startMs });
      return 0;
    }
    const cells = await compare(options.plan, pool);
    const figures = await figuresOf(options, cells, pool);
    endProgress();
    console.log(options.json ? jsonOf(options, cells, figures) : textOf(options, cells));
    writeFigures(options.out, figures);
  } finally {
    drifts.warn();
    await pool.close();
  }
  return 0;
}

/** Rows whose searches were not like those that their calibration was made from: a warning each. */
class DriftedRows {
  readonly #lines = new Map<string, string>();

  read({ setting, contender }: TrialSpec, { drift = [] }: TrialResult): void {
    const row = `${setting}, ${contender.program}${'policy' in contender ? ` under ${contender.policy}` : ''}`;
    for (const { drifted, text } of drift) if (drifted) this.#lines.set(row, text);
  }

  warn(): void {
    for (const [row, line] of this.#lines) console.error(`warning: ${row}: ${line}`);
  }
}

function fitOf(file: string, json: boolean): string {
  const { header, trees } = readTrees(file, '--fit');
  const fit = fitProfile(`${header.model} ${file}`, trees, header.samples);
  if (json) return JSON.stringify(fit, undefined, 1);
  const head = `${trees.length} questions, ${header.samples} samples each, ${header.model} scored by ${header.verifier}, seed ${header.seed}; the model drew as many.`;
  return `${head}\n\n${fitTable(fit)}\n\nthe profile:\n${JSON.stringify(fit.profile, undefined, 1)}`;
}

async function figuresOf({ plan, experiment }: SimOptions, cells: readonly Cell[], pool: TrialPool) {
  if (experiment === 'policies') return policyFigures(plan, cells);
  return experiment === 'p0' ? await makeFigures(plan, cells, pool) : [];
}

function textOf({ plan, each }: SimOptions, cells: readonly Cell[]): string {
  const tables = [headOf(plan), '', tableOf(linesOf(cells, plan.base))];
  if (each)
    for (const [setting, own] of bySetting(cells))
      tables.push('', `## ${setting}`, '', tableOf(linesOf(own, plan.base)));
  return tables.join('\n');
}

function headOf(plan: ComparisonPlan): string {
  const { requests, seeds, budget, base, threshold, rollouts, trees } = plan;
  const settings = trees === undefined ? plan.settings : [`${trees} at the speed of ${plan.settings.join(', ')}`];
  const { branching } = searchDefaults;
  return [
    `Simulated: ${settings.join(', ')}; ${requests} requests a run, the first ${100 * warmUpShare} % left out of latencies;`,
    `seeds ${seeds.join(', ')}; M = ${budget} strands, ${rollouts} rollouts of ${branching} steps, threshold ${threshold};`,
    placeText(plan),
    'Means over settings (times, rates and ratios geometric), ± the 95 % interval over seeds. req/s: requests over',
    'makespan; cap/s: sustained capacity; of bound: its share of the clairvoyant capacity (docs/policies.md); exits: accepted/',
    'futile/settled/exhausted. Ratios: above 1 is better than vanilla (×v)',
    `or than ${base} (×b); Δacc in points of accuracy.`,
  ].join('\n');
}

function placeText({ machine, roofline, verifierReuses }: ComparisonPlan): string {
  if (machine !== undefined) return `step times as doctor measured them: ${machine.name}.`;
  const times = roofline === undefined ? 'as measured on an H200' : `by a roofline of the ${roofline.toUpperCase()}`;
  return `step times ${times}; verifier ${verifierReuses ? 'reuses its prefixes' : 'computes every prefix again'}.`;
}

function jsonOf({ plan }: SimOptions, cells: readonly Cell[], figures: readonly Figure[]): string {
  const data = figures.map(({ name, data }) => ({ name, data }));
  return JSON.stringify(
    { simulated: true, plan, lines: linesOf(cells, plan.base), cells, figures: data },
    undefined,
    1,
  );
}
