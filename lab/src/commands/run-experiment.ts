// Runs one experiment and reports it: progress on stderr, tables or JSON on stdout, charts in a folder.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LabReport } from '../experiment/experiment.ts';
import { KeptResults } from '../experiment/kept-results.ts';
import { measureAll } from '../experiment/runner.ts';
import { svgOf } from '../experiment/svg.ts';
import { printed } from '../experiment/table.ts';
import { TrialPool } from '../sim/trial-pool.ts';
import { type ExperimentOptions, resultsFolder } from './experiment-options.ts';

/** `folderOf` gives a chart's folder by its name. */
export async function runExperiment(
  { experiment, plan, run }: ExperimentOptions,
  folderOf: (chart: string) => string = () => run.out ?? resultsFolder,
): Promise<void> {
  const pool = new TrialPool({ threads: run.threads });
  const kept = new KeptResults(join(run.results, `${experiment.name}.jsonl`), { fresh: run.fresh });
  try {
    const options = { pool, kept, lanes: 4 * run.threads, onProgress: progress(performance.now()) };
    const { found } = await measureAll(experiment, plan, options);
    if (process.stderr.isTTY) process.stderr.write('\r\x1b[K');
    const report = experiment.report(found, plan);
    const { head, body, data } = report;
    console.log(
      run.print === 'json'
        ? JSON.stringify({ simulated: true, plan, ...data }, undefined, 1)
        : printed([head, ...body], run.print),
    );
    writeAll(report, folderOf);
  } finally {
    await pool.close();
  }
}

function progress(startMs: number): (done: number, all: number) => void {
  return (done, all) => {
    const seconds = Math.round((performance.now() - startMs) / 1000);
    const line = `${done} of ${all} cells, ${seconds} s`;
    if (process.stderr.isTTY) process.stderr.write(`\r${line} `);
    else if (done % 16 === 0 || done === all) process.stderr.write(`${line}\n`);
  };
}

function writeAll({ charts = [], files = [] }: LabReport, folderOf: (chart: string) => string): void {
  const drawn = charts.map(({ name, chart }) => ({ name: `${name}.svg`, text: svgOf(chart) }));
  for (const { name, text } of [...drawn, ...files]) {
    const folder = folderOf(name);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, name), text);
    console.error(`wrote ${join(folder, name)}`);
  }
}
