// Measurements of an idle core: the fastest number of threads, and the cost of decodes.

import type { MeasuredPoints } from '@coppice/core/cost';
import type { Context } from '../batch/context.ts';
import type { Sampler } from '../batch/sampler.ts';
import { type MeasurementOptions, measureCost } from '../batch/self-measurement.ts';
import type { Model } from '../native/model.ts';
import { fastestThreads } from './thread-trial.ts';

/** Rows of a trial decode, as many as a few samples have. */
const trialRows = 4;
const trialToken = 5;
/** Smaller models are fastest with one thread on every machine. */
const leastBytesTried = 32 * 1024 * 1024;

export function tryThreads(context: Context, model: Model, nowMs: () => number, cores: number): number | undefined {
  if (cores < 2 || model.description().bytes < leastBytesTried) return undefined;
  const rows = Array.from({ length: trialRows }, (_, sequence) => {
    return { token: trialToken, position: 0, sequence, wanted: true };
  });
  const fastest = fastestThreads(cores, (threads) => {
    context.setThreads(threads);
    const startMs = nowMs();
    context.decode(rows);
    context.logits(0);
    const tookMs = nowMs() - startMs;
    for (const { sequence } of rows) context.remove(sequence, 0);
    return tookMs;
  });
  context.setThreads(fastest);
  return fastest;
}

const typicalSampling = { temperature: 1, topP: 1, topK: 0, minP: 0 } as const;
/** Tokens of the path and of the step that a reward model reads. */
const typicalPath = 64;
const typicalStep = 16;

type MeasuredCore = Pick<MeasurementOptions, 'nowMs' | 'budgetMs' | 'rowLimit' | 'bulkRows' | 'cells'> & {
  readonly processorMs: (() => number) | undefined;
  readonly model: Model;
  readonly sampler: Sampler;
  readonly pathLimit: number;
  readonly isVerifier: boolean;
};

export function measuredTimes(context: Context, core: MeasuredCore): MeasuredPoints {
  const { processorMs, model, sampler, pathLimit, isVerifier, ...options } = core;
  const layout = isVerifier
    ? { prefillBelow: Math.min(typicalPath, pathLimit >> 1), blockTokens: typicalStep }
    : { prefillBelow: 0, blockTokens: 1 };
  return measureCost(context, {
    ...options,
    ...layout,
    ...(processorMs && { processorMs }),
    name: `measured ${model.description().name}`,
    contextTokens: model.contextTokens,
    useLogits: (row) => void sampler.draw(row, typicalSampling, 0.5),
  });
}
