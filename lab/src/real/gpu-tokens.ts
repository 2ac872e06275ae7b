// What a token takes of a GPU where so many sequences are decoded at a time: a generated one its part of a step, one that the judge reads its part of the
// largest pass. By the step times of servers that `npm run lab -- table` measured.

import { readFileSync } from 'node:fs';
import { mean, raise } from '@coppice/core/base';

export interface GpuTokens {
  readonly writtenMs: number;
  readonly readMs: number;
}

interface MeasuredTimes {
  /** Sequences, and milliseconds of a step at each context length. */
  readonly generator: { readonly decode: readonly (readonly [number, ...number[]])[] };
  /** Tokens and milliseconds of a pass. */
  readonly rewardModel: { readonly pass: readonly (readonly [number, number])[] };
}

export function gpuTokens(file: string, sequences: number): GpuTokens {
  const { generator, rewardModel }: MeasuredTimes = JSON.parse(readFileSync(file, 'utf8'));
  const step = generator.decode.find(([each]) => each === sequences);
  const known = generator.decode.map(([each]) => each).join(', ');
  if (step === undefined) return raise('bad-setting', `${file} has steps of ${known} sequences, not ${sequences}`);
  const [, ...stepMs] = step;
  const [tokens, passMs] = rewardModel.pass.at(-1)!;
  return { writtenMs: mean(stepMs) / sequences, readMs: passMs / tokens };
}
