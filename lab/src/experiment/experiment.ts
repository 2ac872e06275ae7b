// The type of an experiment, which is a value. Its plan makes cells: plain values with everything that their results depend on. `measure`
// turns one cell into a result, and `report` turns all results into tables and charts. Nothing here runs, prints or writes:
// runner.ts and ../commands do that for all experiments.

import type { LoneAnswer, LoneSpec } from '../sim/lone-search.ts';
import type { TrialResult, TrialSpec } from '../sim/trial.ts';
import type { LabPlan, PlanFlagName } from './plan.ts';
import type { Chart } from './svg.ts';
import type { Block } from './table.ts';

/** Runs trials on the threads of the runner. */
export interface TrialSource {
  run(spec: TrialSpec): Promise<TrialResult>;
  /** For one that several cells need, such as a yardstick of capacity: it is run once. */
  once(spec: TrialSpec): Promise<TrialResult>;
  /** Searches without a clock; those that several cells need, such as the ones they are paired with, run once. */
  lone(spec: LoneSpec): Promise<readonly LoneAnswer[]>;
}

export interface MeasuredCell<Cell, Result> {
  readonly cell: Cell;
  /** As JSON has it: what was kept in a file and what was measured now look the same. */
  readonly result: Result;
}

export interface NamedChart {
  /** Of the file, without `.svg`. */
  readonly name: string;
  readonly chart: Chart;
}

export interface LabReport {
  /** What was run, in one sentence or a few. */
  readonly head: string;
  readonly body: readonly Block[];
  readonly charts?: readonly NamedChart[];
  /** What `--json` prints beside the plan. */
  readonly data: object;
  /** Other files that it leaves beside its charts. */
  readonly files?: readonly { readonly name: string; readonly text: string }[];
}

export interface LabExperiment<Cell = unknown, Result = unknown> {
  /** As --experiment has it. */
  readonly name: string;
  readonly about: string;
  /** Where its figures are published, in lab/docs. */
  readonly page: string;
  /** Roughly how long the published runs take together on two cores. */
  readonly takes: string;
  /** The flags of those runs, as the page shows them; `figures` runs each. */
  readonly published: readonly string[];
  /** What its plan has in place of `planDefaults`, and, with --full, in place of that. */
  readonly preset: Partial<LabPlan>;
  readonly full?: Partial<LabPlan>;
  /** The flags that it reads; any other is refused. */
  readonly flags: readonly PlanFlagName[];
  /** Fewest requests of a run; unless given, enough to keep searches waiting at the plan's budget. */
  readonly leastRequests?: number;
  /** --policy chooses among the rows of the preset, and there are no others. */
  readonly ownRows?: true;
  cells(plan: LabPlan): readonly Cell[];
  measure(cell: Cell, trials: TrialSource): Promise<Result>;
  /** Pure: the same results give the same report. */
  report(found: readonly MeasuredCell<Cell, Result>[], plan: LabPlan): LabReport;
}
