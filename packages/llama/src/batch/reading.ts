// A reward model's reading of a step. Its value is the probability of the good token against the bad one after the step's last token.

import { type Fault, fault } from '@coppice/core/base';
import type { RequestId, Urgency } from '@coppice/core/engine';
import type { NodeId, Prompt, Step } from '@coppice/core/tree';
import type { Sequence } from './run.ts';

export interface ReadRequest extends Urgency {
  readonly id: RequestId;
  readonly search: string;
  readonly prompt: Prompt;
  readonly parent: NodeId;
  readonly steps: readonly Step[];
}

export interface VerdictTokens {
  readonly good: number;
  readonly bad: number;
}

export type ReadingResult = { readonly probability: number } | { readonly fault: Fault };

export class Reading implements Sequence {
  readonly id: number;
  readonly search: string;
  readonly parent: number;
  urgency: Urgency;
  readonly prefix: readonly number[];
  readonly #verdict: VerdictTokens;
  #result: ReadingResult | undefined;

  constructor(request: ReadRequest, prefix: readonly number[], verdict: VerdictTokens) {
    this.id = request.id;
    this.search = request.search;
    this.parent = request.parent;
    this.urgency = request;
    this.prefix = prefix;
    this.#verdict = verdict;
  }

  get result(): ReadingResult | undefined {
    return this.#result;
  }

  next(row: Float32Array): undefined {
    const { good, bad } = this.#verdict;
    const probability = 1 / (1 + Math.exp(row[bad]! - row[good]!));
    this.#result = Number.isNaN(probability)
      ? { fault: fault('internal', 'the reward model gave logits that are not numbers') }
      : { probability };
    return undefined;
  }

  outOfCells(): void {
    this.#result = { fault: fault('too-long', `a path of ${this.prefix.length} tokens does not fit the KV cache`) };
  }
}
