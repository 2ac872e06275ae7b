// Limits of a request's sampling.

import { raise } from '@coppice/core/base';
import type { Sampling } from '@coppice/core/tree';

export function checkSampling(sampling: Sampling, maxTokens: number): void {
  const { temperature, topP = 1, topK = 0, minP = 0 } = sampling;
  if (!(temperature >= 0 && temperature <= 100))
    raise('bad-setting', `temperature is ${temperature}; it must be from 0 to 100`);
  if (!(topP > 0 && topP <= 1)) raise('bad-setting', `topP is ${topP}; it must be above 0 and at most 1`);
  if (!(Number.isInteger(topK) && topK >= 0)) raise('bad-setting', `topK is ${topK}; it must be a whole number from 0`);
  if (!(minP >= 0 && minP <= 1)) raise('bad-setting', `minP is ${minP}; it must be from 0 to 1`);
  if (!(Number.isInteger(maxTokens) && maxTokens >= 1)) {
    raise('bad-setting', `maxTokens is ${maxTokens}; it must be a whole number from 1`);
  }
}
