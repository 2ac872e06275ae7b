// The reward model's side of a core: the tokens of its verdicts, and the positions at which they are read.

import { raise } from '@coppice/core/base';
import { Reading, type ReadRequest, type VerdictTokens } from '../batch/reading.ts';
import type { Model } from '../native/model.ts';
import type { CoreOptions } from './core-options.ts';
import type { PathTokens } from './path-tokens.ts';

export class VerdictReader {
  readonly #verdict: VerdictTokens;
  readonly #markerTokens: readonly number[];

  constructor(model: Model, verdict: NonNullable<CoreOptions['verdict']>) {
    this.#verdict = { good: oneToken(model, verdict.good), bad: oneToken(model, verdict.bad) };
    this.#markerTokens = verdict.marker ? model.tokenize(verdict.marker) : [];
  }

  reading(request: ReadRequest, paths: PathTokens): Reading {
    const prefix = paths.of(request.prompt, request.steps, this.#markerTokens);
    return new Reading(request, prefix, this.#verdict);
  }
}

function oneToken(model: Model, text: string): number {
  const [token, ...more] = model.tokenize(text);
  if (token !== undefined && more.length === 0) return token;
  const parts = token === undefined ? 0 : 1 + more.length;
  return raise('bad-setting', `the verdict '${text}' is ${parts} tokens of ${model.path}; it must be exactly one`);
}
