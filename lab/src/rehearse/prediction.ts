// The prediction of the lab's `sim --json`: rates of its loads, and figures to compare with measured ones. It must be for the same
// questions and the same system.

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { raise } from '@coppice/core/base';
import type { Latencies, Yield } from '../service/index.ts';
import type { RehearsalPoint } from './rehearsal.ts';

interface PredictedLoad extends Latencies {
  readonly load: string;
  readonly perSecond: number;
  readonly yield: Yield;
}

type PredictedSystem = Pick<RehearsalPoint, 'trace' | 'requests' | 'budget' | 'rollouts' | 'threshold'>;
type PredictedCell = Pick<RehearsalPoint, 'setting' | 'seed'>;

export interface Prediction {
  readonly file: string;
  readonly sha256: string;
  readonly plan: PredictedSystem & { readonly settings: readonly string[]; readonly seeds: readonly number[] };
  readonly cells: readonly (PredictedCell & { readonly row: string; readonly loads: readonly PredictedLoad[] })[];
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

export function checkPrediction({ file, plan, cells }: Prediction, asked: PredictedSystem & PredictedCell): void {
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
  { setting, seed }: PredictedCell,
  load: string,
  row?: string,
): PredictedLoad | undefined {
  return cells
    .filter((cell) => cell.setting === setting && cell.seed === seed && (row === undefined || cell.row === row))
    .flatMap((cell) => cell.loads)
    .find((each) => each.load === load);
}
