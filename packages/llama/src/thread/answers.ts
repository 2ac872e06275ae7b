// The one message that answers each request, made from its ended sequence.

import { assert, fault } from '@coppice/core/base';
import type { EngineMessage, GenerationUsage, RequestId } from '@coppice/core/engine';
import { Generation } from '../batch/generation.ts';
import type { Reading } from '../batch/reading.ts';
import type { Run, RunCounts } from '../batch/run.ts';

export type CoreMessage =
  | EngineMessage
  | {
      readonly type: 'read';
      readonly request: RequestId;
      readonly probability: number;
      readonly usage: Pick<GenerationUsage, 'computedTokens' | 'cachedTokens'>;
    };

export function answerOf(sequence: Generation | Reading, run: Run): CoreMessage {
  const { result } = sequence;
  assert(result !== undefined, 'a complete sequence has a result');
  const request = sequence.id;
  const usage = usageOf(sequence, run);
  if ('fault' in result) return { type: 'fault', request, fault: result.fault, usage };
  const read = sequence instanceof Generation ? sequence.read : undefined;
  if ('step' in result) return { type: 'step', request, step: result.step, usage, ...(read && { read }) };
  const { computedTokens, cachedTokens } = usage;
  return { type: 'read', request, ...result, usage: { computedTokens, cachedTokens } };
}

/** `run` is undefined if the sequence was cancelled before it ran. */
export function cancelledOf(sequence: Generation | Reading, run: RunCounts | undefined): CoreMessage {
  const usage = usageOf(sequence, run);
  return { type: 'fault', request: sequence.id, fault: fault('cancelled', 'cancelled by the caller'), usage };
}

function usageOf(sequence: Generation | Reading, run: RunCounts | undefined): GenerationUsage {
  return {
    computedTokens: run?.computedPrefixTokens ?? 0,
    cachedTokens: run?.cachedPrefixTokens ?? 0,
    generatedTokens: sequence instanceof Generation ? sequence.generatedTokens : 0,
    decodedTokens: run?.computedDrawnTokens ?? 0,
  };
}
