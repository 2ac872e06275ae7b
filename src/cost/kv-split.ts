// How much of one KV memory the generator gets and how much the verifier (P4 §4.3.1): the pair of batch sizes that fills the
// memory and finishes a round of N requests soonest, from cost models instead of a roofline. Exhaustive over the
// verifier's batch, as in the paper; of equal times the larger decode batch wins.

import { assert } from '../base/assert.ts';
import { type CostModel, decodeMs, prefillMs } from './cost.ts';

export interface KvSplitProblem {
  readonly generator: CostModel;
  readonly verifier: CostModel;
  /** Bytes of keys and values of one token in each model. */
  readonly generatorTokenBytes: number;
  readonly verifierTokenBytes: number;
  readonly memoryBytes: number;
  /** N: requests of a round. */
  readonly requests: number;
  /** S: tokens of a path that the verifier reads. */
  readonly pathTokens: number;
  /** S_dec: tokens that the generator writes per request. */
  readonly stepTokens: number;
  /** A verifier that finds a path in its cache computes only the new step; the paper's computes the whole path. */
  readonly verifierReusesPrefix: boolean;
  /** Sequences that the generator runs at a time at most, and paths that fit one pass of the verifier. */
  readonly mostDecode: number;
  readonly mostPrefill: number;
}

export interface KvSplit {
  readonly generatorTokens: number;
  readonly verifierTokens: number;
  readonly decodeBatch: number;
  readonly prefillBatch: number;
  /** Time of the round. */
  readonly totalMs: number;
}

/** Undefined where not even one path and one sequence fit together. */
export function splitKv(problem: KvSplitProblem): KvSplit | undefined {
  const { requests, pathTokens, stepTokens, memoryBytes } = problem;
  assert(requests >= 1 && pathTokens >= 1 && stepTokens >= 1, 'a round has requests, paths and steps');
  const verifierBytes = pathTokens * problem.verifierTokenBytes;
  // A sequence holds its path as well as the step it writes: prefixes are shared, but in the worst case not at all.
  const generatorBytes = (pathTokens + stepTokens) * problem.generatorTokenBytes;
  let best: KvSplit | undefined;
  const most = Math.min(requests, problem.mostPrefill, Math.floor(memoryBytes / verifierBytes));
  for (let prefillBatch = 1; prefillBatch <= most; prefillBatch += 1) {
    const left = memoryBytes - prefillBatch * verifierBytes;
    const fitting = Math.floor(left / generatorBytes);
    const decodeBatch = Math.min(requests, problem.mostDecode, fitting);
    if (decodeBatch < 1) break;
    const totalMs = roundMs(problem, prefillBatch, decodeBatch);
    const better = best === undefined || totalMs < best.totalMs;
    const equal = best !== undefined && totalMs === best.totalMs && decodeBatch > best.decodeBatch;
    if (!better && !equal) continue;
    const verifierTokens = prefillBatch * pathTokens;
    const generatorTokens = Math.floor((memoryBytes - prefillBatch * verifierBytes) / problem.generatorTokenBytes);
    best = { generatorTokens, verifierTokens, decodeBatch, prefillBatch, totalMs };
  }
  return best;
}

/**
 * T_tot of P4 §4.3.1, with the mean cached length of a sequence in the middle of its step. Where the verifier reuses
 * prefixes, the share of paths that stay in its memory until they are scored again costs their new step alone.
 */
function roundMs(problem: KvSplitProblem, prefillBatch: number, decodeBatch: number): number {
  const { requests, pathTokens, stepTokens } = problem;
  const passes = Math.ceil(requests / prefillBatch);
  const rounds = Math.ceil(requests / decodeBatch);
  const cached = decodeBatch * (pathTokens + stepTokens / 2);
  const held = problem.verifierReusesPrefix ? Math.min(1, prefillBatch / requests) : 0;
  const newTokens = held * Math.min(stepTokens, pathTokens) + (1 - held) * pathTokens;
  return (
    passes * prefillMs(problem.verifier, prefillBatch * newTokens) +
    rounds * stepTokens * decodeMs(problem.generator, decodeBatch, cached)
  );
}
