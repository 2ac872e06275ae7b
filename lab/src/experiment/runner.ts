// The one way to run an experiment: measures every cell without a result, and keeps each result at once, so that a long run can be
// stopped and resumed. Cells run in parallel; their results keep the order of the plan, with the same bytes for any number of
// threads, measured now or kept before.

import { type LoneSpec, loneAnswers } from '../sim/lone-search.ts';
import type { TrialResult, TrialSpec } from '../sim/trial.ts';
import type { TrialPool } from '../sim/trial-pool.ts';
import type { LabExperiment, MeasuredCell, TrialSource } from './experiment.ts';
import type { KeptResults } from './kept-results.ts';
import type { LabPlan } from './plan.ts';

/** One without threads for lone searches runs them here. */
type Threads = Pick<TrialPool, 'run'> & Partial<Pick<TrialPool, 'lone'>>;

interface RunnerOptions {
  readonly pool: Threads;
  /** Cells at a time: some wait for a yardstick that others need too. */
  readonly lanes?: number;
  /** Results of runs before, to which those of this one are added. */
  readonly kept?: KeptResults | undefined;
  readonly onProgress?: (done: number, all: number) => void;
}

/** What a file keeps of a cell. */
interface KeptCell {
  readonly result: unknown;
}

interface MeasuredPlan<Cell, Result> {
  readonly found: readonly MeasuredCell<Cell, Result>[];
}

export async function measureAll<Cell, Result>(
  experiment: LabExperiment<Cell, Result>,
  plan: LabPlan,
  { pool, lanes = 8, kept, onProgress }: RunnerOptions,
): Promise<MeasuredPlan<Cell, Result>> {
  const cells = experiment.cells(plan);
  const found: KeptCell[] = [];
  const shared = new Map<string, Promise<unknown>>();
  let [next, done] = [0, 0];
  const lane = async (): Promise<void> => {
    for (let at = next; at < cells.length; at = next) {
      next += 1;
      const cell = { experiment: experiment.name, cell: cells[at]! };
      const known = kept?.find(cell) as KeptCell | undefined;
      found[at] = known ?? (await measured(experiment, cells[at]!, pool, shared));
      if (known === undefined) kept?.keep(cell, found[at]);
      done += 1;
      onProgress?.(done, cells.length);
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return {
    found: cells.map((cell, at) => ({ cell, result: found[at]!.result as Result })),
  };
}

async function measured(
  experiment: LabExperiment,
  cell: unknown,
  pool: Threads,
  shared: Map<string, Promise<unknown>>,
): Promise<KeptCell> {
  const run = (spec: TrialSpec): Promise<TrialResult> => pool.run(spec);
  const once = <Spec, Found>(find: (spec: Spec) => Promise<Found>, spec: Spec): Promise<Found> => {
    const key = `${find.name} ${JSON.stringify(spec)}`;
    if (!shared.has(key)) shared.set(key, find(spec));
    return shared.get(key) as Promise<Found>;
  };
  const lone = async (spec: LoneSpec) => pool.lone?.(spec) ?? loneAnswers(spec);
  const trials: TrialSource = { run, once: (spec) => once(run, spec), lone: (spec) => once(lone, spec) };
  const result = await experiment.measure(cell, trials);
  return JSON.parse(JSON.stringify({ result })) as KeptCell;
}
