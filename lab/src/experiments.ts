// Every experiment of `npm run lab -- sim --experiment NAME` that is not the comparison of policies, by name: one list, one shape. A new one is
// an entry here and a plan in sim/presets.ts.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SimOptions } from './commands/sim-options.ts';
import { endProgress, progress, writeFigures } from './commands/sim-output.ts';
import { KeptResults } from './kept-results.ts';
import { accuracyLines, accuracyTable } from './policies/accuracy.ts';
import { fairnessLines, fairnessOf } from './policies/fairness.ts';
import { hazardFile, hazardLines, hazardStudy } from './policies/hazard-study.ts';
import { neverLoses, verdictLines } from './policies/never-loses.ts';
import { tokenWaste, wasteLines } from './policies/token-waste.ts';
import { levelFigures } from './service-levels/level-figures.ts';
import { levelTables } from './service-levels/level-tables.ts';
import { levelCells } from './service-levels/rates.ts';
import { heavyTail, server, workloads } from './service-levels/workloads.ts';
import { certaintyFigures, certaintyLines, certaintyTable } from './sim/p1.ts';
import { presets } from './sim/presets.ts';
import { TrialPool } from './sim/trial-pool.ts';
import { draftingFigure, draftingLines, draftingTable } from './speculation/p2.ts';
import { companyLines, speculationLines } from './speculation/p3.ts';
import { companyTable, speculationFigure, speculationTable } from './speculation/p3-report.ts';
import { goodputLines, wholePlan } from './speculation/p4.ts';
import { boundTable, goodputChart, goodputTable, stageTable } from './speculation/p4-report.ts';
import { type LoadedSetting, type LoadVerdict, underLoad } from './speculation/under-load.ts';
import { loadLines } from './speculation/under-load-report.ts';

export interface ExperimentRun {
  readonly options: SimOptions;
  readonly pool: TrialPool;
  readonly startMs: number;
}

export interface LabExperiment {
  /** As --experiment has it. */
  readonly name: string;
  /** Where its figures are published, in lab/docs. */
  readonly page: string;
  /** Runs its plan, and prints its tables or JSON; charts go to --out. */
  run(run: ExperimentRun): Promise<void>;
}

/** Those that take the place of the comparison of policies; `p0`, `programs`, `knobs`, `policies` and `calibration` are that comparison with a plan of their own. */
export const experiments: readonly LabExperiment[] = [
  {
    name: 'p1',
    page: 'experiments/p1.md',
    run: async ({ options, pool }) => {
      await printCertainty(options, pool);
      if (options.levels !== undefined) await printLevels(options, options.levels, pool);
    },
  },
  {
    name: 'p1-levels',
    page: 'experiments/p1.md',
    run: ({ options, pool }) => printLevels(options, options.levels!, pool),
  },
  { name: 'p2', page: 'experiments/p2.md', run: async ({ options }) => printDrafting(options) },
  { name: 'p3', page: 'experiments/p3.md', run: async ({ options, startMs }) => printSpeculation(options, startMs) },
  {
    name: 'p4',
    page: 'experiments/p4.md',
    run: ({ options, pool }) => printGoodput(options, options.mostBeams!, pool),
  },
  {
    name: 'under-load',
    page: 'experiments/p3.md',
    run: ({ options, startMs }) => printUnderLoad(options, options.underLoad!, startMs),
  },
  {
    name: 'random',
    page: 'policies-measured.md',
    run: ({ options, pool }) => printRandom(options, options.random!, pool),
  },
  {
    name: 'hazard',
    page: 'policies-measured.md',
    run: ({ options, pool }) => printHazard(options, options.lossBudget!, pool),
  },
  { name: 'accuracy', page: 'policies-measured.md', run: ({ options, pool }) => printAccuracy(options, pool) },
  { name: 'waste', page: 'policies-measured.md', run: ({ options, pool }) => printWaste(options, pool) },
  { name: 'fairness', page: 'policies-measured.md', run: ({ options, pool }) => printFairness(options, pool) },
];

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
