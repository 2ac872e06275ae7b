// Splits one KV memory between generator and verifier, after P4 §4.3.1: the split that finishes a round of requests soonest, by measured costs
// instead of a roofline. Unlike in the paper, both sides keep the paths that they have seen, and compute lost ones again, the generator too. Tries
// every split on a fine grid, as the paper tries batches; among equal times the larger generator wins.

import { assert } from '@coppice/core/base';
import { type CostModel, decodeMs, prefillMs } from '@coppice/core/cost';

export interface KvSplitProblem {
  readonly generator: CostModel;
  readonly verifier: CostModel;
  readonly generatorTokenBytes: number;
  readonly verifierTokenBytes: number;
  readonly memoryBytes: number;
  /** Least cells of each side: its longest path must fit. */
  readonly leastGeneratorTokens: number;
  readonly leastVerifierTokens: number;
  /** S: tokens of a path, stored once for all its children. */
  readonly pathTokens: number;
  /** S_dec: tokens that the generator writes per child. */
  readonly stepTokens: number;
  readonly siblings: number;
  /** The verifier caches paths and computes only the new step; the paper's verifier computes the whole path. */
  readonly verifierReusesPrefix: boolean;
  /** Steps differ much in length, so the children of a path are scored at different times, and each may find the path evicted. Else one pass serves all. */
  readonly scoredApart?: boolean;
  readonly mostDecode: number;
}

interface KvSplit {
  readonly generatorTokens: number;
  readonly verifierTokens: number;
  readonly decodeBatch: number;
  readonly totalMs: number;
}

const grid = 256;
/** Paths of a round over the paths that fit. Memory only matters when it is scarce, so the split assumes a load that does not fit. */
const scarcity = 1.5;

/** Undefined if the memory is too small for both minima. */
export function splitKv(problem: KvSplitProblem): KvSplit | undefined {
  const { memoryBytes, generatorTokenBytes, verifierTokenBytes, leastGeneratorTokens, leastVerifierTokens } = problem;
  assert(problem.pathTokens >= 1 && problem.stepTokens >= 1 && problem.siblings >= 1, 'a round has paths and steps');
  const spare = memoryBytes - leastGeneratorTokens * generatorTokenBytes - leastVerifierTokens * verifierTokenBytes;
  if (spare < 0) return undefined;
  let best: KvSplit | undefined;
  for (let at = 0; at <= grid; at += 1) {
    const verifierTokens = leastVerifierTokens + Math.floor((spare * at) / grid / verifierTokenBytes);
    const generatorTokens = Math.floor((memoryBytes - verifierTokens * verifierTokenBytes) / generatorTokenBytes);
    const split = timedSplit(problem, generatorTokens, verifierTokens);
    if (best === undefined || split.totalMs < best.totalMs) best = split;
  }
  return best;
}

/**
 * T_tot of P4 §4.3.1 for one split and its best batch. The verifier reads every new step and computes evicted paths again; so does the
 * generator, which then decodes in rounds of the batch.
 */
export function timedSplit(problem: KvSplitProblem, generatorTokens: number, verifierTokens: number): KvSplit {
  const { verifier, pathTokens, stepTokens, siblings, mostDecode } = problem;
  const paths = roundPaths(problem);
  const { verifierReusesPrefix, scoredApart = false } = problem;
  const lookups = verifierReusesPrefix && !scoredApart ? 1 : siblings;
  const verifierMiss = verifierReusesPrefix ? evictedShare(verifierTokens / pathTokens / paths) : 1;
  const verifierMs =
    lookups * verifierMiss * prefillMs(verifier, pathTokens) + prefillMs(verifier, siblings * stepTokens);
  const fitting = Math.floor(generatorTokens / (stepTokens + pathTokens / siblings));
  let [decodeBatch, generatorMs] = [1, Number.POSITIVE_INFINITY];
  for (let batch = 1; batch <= Math.max(1, Math.min(mostDecode, fitting)); batch += 1) {
    const batchMs = generatingMs(problem, generatorTokens, batch);
    if (batchMs < generatorMs) [decodeBatch, generatorMs] = [batch, batchMs];
  }
  return { generatorTokens, verifierTokens, decodeBatch, totalMs: paths * (verifierMs + generatorMs) };
}

/** The generator's time per path, in the middle of a step: running sequences hold half a step each, before any cached path. */
function generatingMs(problem: KvSplitProblem, generatorTokens: number, batch: number): number {
  const { generator, pathTokens, stepTokens, siblings } = problem;
  const halfStep = stepTokens / 2;
  const miss = evictedShare((generatorTokens - batch * halfStep) / pathTokens / roundPaths(problem));
  const stepMs = decodeMs(generator, batch, batch * (pathTokens + halfStep));
  return miss * prefillMs(generator, pathTokens) + (siblings * stepTokens * stepMs) / batch;
}

function roundPaths({ memoryBytes, pathTokens, generatorTokenBytes, verifierTokenBytes }: KvSplitProblem): number {
  return Math.max(1, (scarcity * memoryBytes) / (pathTokens * (generatorTokenBytes + verifierTokenBytes)));
}

/** Share of paths that are evicted when needed again. Squared, since a cache evicts old paths first and a tree returns to its latest. */
function evictedShare(heldShare: number): number {
  return (1 - Math.min(1, Math.max(0, heldShare))) ** 2;
}
