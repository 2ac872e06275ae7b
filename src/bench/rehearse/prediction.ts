// What the lab's `sim --json` said before a rehearsal: the rates that its loads came to, and the figures to hold beside those
// that are measured. It must be about the same questions and the same system, or the two cannot be compared.

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { raise } from '../../base/fault.ts';
import type { Latencies, Yield } from '../simulated/measures.ts';

interface PredictedLoad extends Latencies {
  readonly load: string;
  readonly perSecond: number;
  readonly yield: Yield;
}

/** One policy in one setting under one seed. */
interface PredictedCell {
  readonly setting: string;
  readonly seed: number;
  readonly row: string;
  readonly loads: readonly PredictedLoad[];
}

/** What was simulated. */
interface PredictedPlan extends Omit<PredictedSystem, 'setting' | 'seed'> {
  readonly settings: readonly string[];
  readonly seeds: readonly number[];
}

export interface Prediction {
  readonly file: string;
  readonly sha256: string;
  readonly plan: PredictedPlan;
  readonly cells: readonly PredictedCell[];
}

interface PredictedSystem {
  readonly trace?: { readonly file: string };
  readonly setting: string;
  readonly seed: number;
  readonly requests: number;
  readonly budget: number;
  readonly rollouts: number;
  readonly threshold: number;
}

export function readPrediction(file: string): Prediction {
  const bytes = read(file);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  try {
    const { plan, cells } = JSON.parse(bytes.toString()) as Prediction;
    if (Array.isArray(cells) && Array.isArray(plan.seeds)) return { file, sha256, plan, cells };
  } catch {
    // Told below.
  }
  return raise('bad-setting', `--prediction ${file} is not what npm run lab -- sim --json prints`);
}

function read(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch {
    return raise('bad-setting', `--prediction: cannot read ${file}`);
  }
}

/** Refuses a prediction about something else, and says what differs. */
export function checkPrediction({ file, plan, cells }: Prediction, asked: PredictedSystem): void {
  const differs = (what: string, predicted: unknown, value: unknown): never =>
    raise('bad-setting', `--prediction ${file} is about ${what} ${predicted}, and ${value} is asked for`);
  for (const name of ['requests', 'budget', 'rollouts', 'threshold'] as const) {
    if (plan[name] !== asked[name]) differs(name, plan[name], asked[name]);
  }
  if (plan.trace?.file !== asked.trace?.file)
    differs('the trace', plan.trace?.file ?? 'of no file', asked.trace?.file ?? 'none');
  if (!cells.some(({ setting }) => setting === asked.setting)) differs('setting', plan.settings.join(), asked.setting);
  if (!cells.some(({ seed }) => seed === asked.seed)) differs('seed', plan.seeds.join(), asked.seed);
}

export function predictedLoad(
  { cells }: Prediction,
  { setting, seed }: PredictedSystem,
  load: string,
  row?: string,
): PredictedLoad | undefined {
  return cells
    .filter((cell) => cell.setting === setting && cell.seed === seed && (row === undefined || cell.row === row))
    .flatMap((cell) => cell.loads)
    .find((each) => each.load === load);
}
