// `npm run lab -- sim`: P0's comparison in virtual time. Runs the plan on all cores, prints one table (or JSON), and says what it
// ran so that anyone can run it again.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readTrees, searchDefaults, warmUpShare } from 'coppice/internals';
import { KeptResults } from '../kept-results.ts';
import { accuracyLines, accuracyTable } from '../policies/accuracy.ts';
import { fairnessLines, fairnessOf } from '../policies/fairness.ts';
import { hazardFile, hazardLines, hazardStudy } from '../policies/hazard-study.ts';
import { neverLoses, verdictLines } from '../policies/never-loses.ts';
import { policyFigures } from '../policies/policy-figures.ts';
import { tokenWaste, wasteLines } from '../policies/token-waste.ts';
import { fitProfile } from '../profile-fit/fit-profile.ts';
import { fitTable } from '../profile-fit/fit-table.ts';
import { levelFigures } from '../service-levels/level-figures.ts';
import { levelTables } from '../service-levels/level-tables.ts';
import { levelCells } from '../service-levels/rates.ts';
import { heavyTail, server, workloads } from '../service-levels/workloads.ts';
import { type Cell, type ComparisonPlan, compare } from '../sim/comparison.ts';
import { type Figure, makeFigures } from '../sim/p0-figures.ts';
import { certaintyFigures, certaintyLines, certaintyTable } from '../sim/p1.ts';
import { presets } from '../sim/presets.ts';
import { bySetting, linesOf } from '../sim/report.ts';
import { simSignature } from '../sim/signature.ts';
import { tableOf } from '../sim/table.ts';
import type { TrialResult, TrialSpec } from '../sim/trial.ts';
import { TrialPool } from '../sim/trial-pool.ts';
import { draftingFigure, draftingLines, draftingTable } from '../speculation/p2.ts';
import { companyLines, speculationLines } from '../speculation/p3.ts';
import { companyTable, speculationFigure, speculationTable } from '../speculation/p3-report.ts';
import { goodputLines, wholePlan } from '../speculation/p4.ts';
import { boundTable, goodputChart, goodputTable, stageTable } from '../speculation/p4-report.ts';
import { type LoadedSetting, type LoadVerdict, underLoad } from '../speculation/under-load.ts';
import { loadLines } from '../speculation/under-load-report.ts';
import { readOptions, type SimOptions, usage } from './sim-options.ts';

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
  if (options.drafting) {
    printDrafting(options);
    return 0;
  }
  if (options.underLoad !== undefined) {
    await printUnderLoad(options, options.underLoad, startMs);
    return 0;
  }
  const kept = options.resume === undefined ? undefined : new KeptResults<TrialSpec, TrialResult>(options.resume);
  const drifts = new DriftedRows();
  const onResult = (spec: TrialSpec, result: TrialResult) => drifts.read(spec, result);
  const pool = new TrialPool({ threads: options.threads, onProgress: progress(startMs), kept, onResult });
  try {
    if (options.certainty) await printCertainty(options, pool);
    if (options.levels !== undefined) await printLevels(options, options.levels, pool);
    if (options.certainty || options.levels !== undefined) return 0;
    if (options.speculation) {
      printSpeculation(options, startMs);
      return 0;
    }
    if (options.mostBeams !== undefined) {
      await printGoodput(options, options.mostBeams, pool);
      return 0;
    }
    if (options.random !== undefined) {
      await printRandom(options, options.random, pool);
      return 0;
    }
    if (options.lossBudget !== undefined) {
      await printHazard(options, options.lossBudget, pool);
      return 0;
    }
    if (options.accuracy) {
      await printAccuracy(options, pool);
      return 0;
    }
    if (options.waste) {
      await printWaste(options, pool);
      return 0;
    }
    if (options.fairness) {
      await printFairness(options, pool);
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

async function printLevels({ plan, json, out }: SimOptions, requests: number, pool: TrialPool): Promise<void> {
  const { settings, seeds } = plan;
  const asked = workloads.filter(({ row }) => plan.rows.includes(row));
  const cells = await levelCells({ setting: settings[0]!, seeds, requests, workloads: asked }, pool);
  endProgress();
  const head = `Simulated: ${settings[0]}; seeds ${seeds.join(', ')}; ${requests} questions a run, lengths lognormal (${heavyTail}); one server of ${server.sequenceLimit} sequences, everyone is taken in.`;
  console.log(
    json ? JSON.stringify({ simulated: true, plan, cells }, undefined, 1) : `${head}\n\n${levelTables(cells)}`,
  );
  writeFigures(out, levelFigures(cells, head));
}

async function printCertainty({ plan, json, out }: SimOptions, pool: TrialPool): Promise<void> {
  const lines = await certaintyLines(plan, pool);
  endProgress();
  const { settings, seeds, requests } = plan;
  const head = `Simulated: ${settings.join(', ')}; seeds ${seeds.join(', ')}; ${requests} questions a run, all at once; policy vanilla.`;
  console.log(
    json ? JSON.stringify({ simulated: true, plan, lines }, undefined, 1) : `${head}\n\n${certaintyTable(lines)}`,
  );
  writeFigures(out, certaintyFigures(lines, head));
}

function printSpeculation({ plan, json, out }: SimOptions, startMs: number): void {
  const told = progress(startMs);
  const lines = speculationLines(plan, (done, all) => told(done, 1.5 * all));
  const company = companyLines(plan, (done, all) => told(2 * all + done, 3 * all));
  endProgress();
  const { settings, seeds, requests, budget } = plan;
  const head = `Simulated: ${settings.join(', ')}; seeds ${seeds.join(', ')}; ${requests} questions a run; M = ${budget} strands.`;
  const tables = ['One search at a time:', speculationTable(lines), 'Several at a time:', companyTable(company)];
  console.log(
    json ? JSON.stringify({ simulated: true, plan, lines, company }, undefined, 1) : [head, ...tables].join('\n\n'),
  );
  // A part of it must not take the place of the published chart.
  const { rows, requests: published } = presets.p3;
  if (rows.every((row) => plan.rows.includes(row)) && requests >= published)
    writeFigures(out, [speculationFigure(lines, company, head)]);
}

function printDrafting({ json, out }: SimOptions): void {
  const lines = draftingLines();
  const head = 'Simulated: times as fast as without drafts, by the chance that a drafted token is accepted.';
  console.log(json ? JSON.stringify({ simulated: true, lines }, undefined, 1) : `${head}\n\n${draftingTable(lines)}`);
  writeFigures(out, [draftingFigure(lines)]);
}

async function printGoodput({ plan, json, out }: SimOptions, most: number, pool: TrialPool): Promise<void> {
  const { seeds, verifierReuses } = plan;
  const asked = { ...wholePlan, seeds, verifierReuses, beams: wholePlan.beams.filter((beams) => beams <= most) };
  const lines = await goodputLines(asked, pool);
  endProgress();
  const of = seeds.length === 1 ? `seed ${seeds[0]}` : `seeds ${seeds.join(', ')}`;
  const head = `Simulated: beam search on one RTX 4090 (roofline), one question at a time, ${of}; the verifier ${verifierReuses ? 'reuses its prefixes' : 'computes every path anew'}. Goodput over that with none of the parts.`;
  const text = [head, '', goodputTable(lines), '', stageTable(lines), '', boundTable(lines)].join('\n');
  console.log(json ? JSON.stringify({ simulated: true, seeds, lines }, undefined, 1) : text);
  writeFigures(out, [goodputChart(lines, head)]);
}

/** Each setting is kept when it is done: some take a hundred times as long as others. */
async function printUnderLoad(
  { plan, threads, resume, json }: SimOptions,
  [from, to]: readonly [number, number],
  startMs: number,
): Promise<void> {
  const kept = resume === undefined ? undefined : new KeptResults<LoadedSetting, LoadVerdict>(resume);
  const pool = new TrialPool({ threads, onProgress: progress(startMs) });
  const [seed] = plan.seeds as [number];
  const all = Array.from({ length: to - from + 1 }, (_, at) => ({ seed, at: from + at, requests: plan.requests }));
  const found = new Map(all.flatMap((each) => (kept?.find(each) ? [[each, kept.find(each)!] as const] : [])));
  const open = all.filter((each) => !found.has(each));
  try {
    await underLoad(open, pool, (setting, verdict) => {
      kept?.keep(setting, verdict);
      found.set(setting, verdict);
    });
  } finally {
    await pool.close();
  }
  endProgress();
  const verdicts = all.map((each) => found.get(each)!);
  const head = `Simulated: settings ${from + 1} to ${to + 1} drawn at random, seed ${seed}; ${plan.requests} requests each, the same with speculation and without, boosted ones twice in each way. Below 1 is faster.`;
  const text = [head, '', ...loadLines(verdicts, 10)].join('\n');
  console.log(json ? JSON.stringify({ simulated: true, seed, verdicts }, undefined, 1) : text);
}

async function printAccuracy({ plan, json }: SimOptions, pool: TrialPool): Promise<void> {
  const lines = await accuracyLines(plan, pool);
  endProgress();
  const { settings, seeds, requests } = plan;
  const head = `Simulated: seeds ${seeds.join(', ')}; ${requests} questions a setting and seed, one search at a time. Δ: points over positive with one strand, paired, ± the 95 % interval.`;
  const text = [head, '', ...accuracyTable(settings, lines)].join('\n');
  console.log(json ? JSON.stringify({ simulated: true, plan, lines }, undefined, 1) : text);
}

async function printWaste({ plan, json }: SimOptions, pool: TrialPool): Promise<void> {
  const wastes = await tokenWaste(plan, pool);
  endProgress();
  const { settings, seeds, requests } = plan;
  const head = `Simulated: ${settings.join(', ')}; seeds ${seeds.join(', ')}; ${requests} questions a run, all at once. Tokens of both models.`;
  const text = [head, '', ...wasteLines(wastes)].join('\n');
  console.log(json ? JSON.stringify({ simulated: true, plan, wastes }, undefined, 1) : text);
}

async function printRandom({ plan, json }: SimOptions, settings: number, pool: TrialPool): Promise<void> {
  const seed = plan.seeds[0]!;
  const verdicts = await neverLoses(seed, settings, pool);
  endProgress();
  const head = `Simulated: ${settings} settings drawn at random, seed ${seed}; each at its own load, one run a policy. Above 1 is better.`;
  const text = [head, '', ...verdictLines(verdicts, 10)].join('\n');
  console.log(json ? JSON.stringify({ simulated: true, seed, verdicts }, undefined, 1) : text);
}

async function figuresOf({ plan, figures, policyChart }: SimOptions, cells: readonly Cell[], pool: TrialPool) {
  if (policyChart) return policyFigures(plan, cells);
  return figures ? await makeFigures(plan, cells, pool) : [];
}

async function printFairness({ plan, json }: SimOptions, pool: TrialPool): Promise<void> {
  const slowdowns = await fairnessOf(plan, pool);
  endProgress();
  const { requests, seeds, budget } = plan;
  const head = `Simulated: ${requests} requests a run, seed ${seeds[0]}, M = ${budget}; each request in company against itself alone on the idle machine.`;
  console.log(
    json
      ? JSON.stringify({ simulated: true, plan, slowdowns }, undefined, 1)
      : [head, '', ...fairnessLines(slowdowns)].join('\n'),
  );
}

async function printHazard({ plan, json, out }: SimOptions, lossBudget: number, pool: TrialPool): Promise<void> {
  const study = await hazardStudy({ ...plan, lossBudget }, pool);
  endProgress();
  const { settings, seeds, requests } = plan;
  const head = `Simulated: ${settings.join(', ')}; seeds ${seeds.join(', ')}; ${requests} questions a run, all at once on odd seeds and one by one on even ones; at most ${lossBudget} points of accuracy to lose.`;
  const file = 'refused' in study.pooled ? undefined : hazardFile({ ...plan, lossBudget }, study.pooled);
  const shown = { simulated: true, plan, lossBudget, ...study, alone: Object.fromEntries(study.alone) };
  console.log(json ? JSON.stringify(shown, undefined, 1) : [head, '', ...hazardLines(study)].join('\n'));
  if (file === undefined) return;
  mkdirSync(out, { recursive: true });
  const path = join(out, 'hazard.json');
  writeFileSync(path, `${JSON.stringify(file, undefined, 1)}\n`);
  console.error(`wrote ${path}`);
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

function writeFigures(folder: string, figures: readonly Figure[]): void {
  if (figures.length === 0) return;
  mkdirSync(folder, { recursive: true });
  for (const { name, svg } of figures) {
    const path = join(folder, `${name}.svg`);
    writeFileSync(path, svg);
    console.error(`wrote ${path}`);
  }
}
