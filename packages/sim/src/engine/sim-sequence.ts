// One sequence on a simulated GPU: its step, its place in the queue, and its progress.

import { compareUrgency, type GenerateRequest, type GenerationUsage, type Urgency } from '@coppice/core/engine';
import type { Step } from '@coppice/core/tree';
import type { PromptBlocks, Segment } from './prefix-cache.ts';

export interface SimSequence {
  readonly request: GenerateRequest;
  readonly step: Step;
  readonly promptTokens: number;
  readonly blocks: PromptBlocks | undefined;
  readonly order: number;
  urgency: Urgency;
  state: 'waiting' | 'running' | 'gone';
  cancelled: boolean;
  /** Tokens generated before its latest start. */
  done: number;
  /** The replica's step count at its latest start. */
  since: number;
  prefix: Segment | undefined;
  contextTokens: number;
  computedTokens: number;
  cachedTokens: number;
}

export function goesBefore(a: SimSequence, b: SimSequence): boolean {
  return (compareUrgency(a.urgency, b.urgency) || a.order - b.order) < 0;
}

export function usageOf({ computedTokens, cachedTokens, done }: SimSequence): GenerationUsage {
  return { computedTokens, cachedTokens, generatedTokens: done };
}
