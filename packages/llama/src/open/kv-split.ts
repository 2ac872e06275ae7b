// Splits one KV memory between generator and verifier, after P4 §4.3.1: the split that finishes a round
// of requests soonest, by measured costs instead of a roofline. Different from the paper: both sides keep the paths that
// they have seen, and what does not fit is computed again, by the generator too. Tries every split on a fine grid, as the
// paper does over batches; of equal times the larger generator wins.

import { assert } from '@coppice/core/base';
import { type CostModel, decodeMs, prefillMs } from '@coppice/core/cost';

export interface KvSplitProblem {
  readonly generator: CostModel;
  readonly verifier: CostModel;
  readonly generatorTokenBytes: number;
  readonly verifierTokenBytes: number;
  readonly memoryBytes: number;
  /** Neither side falls below it: the longest path that must fit. */
  readonly leastGeneratorTokens: number;
  readonly leastVerifierTokens: number;
  /** S: tokens of a path, held once for all its children. */
  readonly pathTokens: number;
  /** S_dec: tokens that the generator writes per child. */
  readonly stepTokens: number;
  readonly siblings: number;
  /** A verifier that finds a path in its cache computes only the new step; the paper's computes the whole path. */
  readonly verifierReusesPrefix: boolean;
  /** Steps are of very different lengths, so that the children of a path are scored at different times and each may find it gone; else one pass serves all. */
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
/** Paths of a round, by the paths that fit: memory matters where it is scarce, so the split is made for a load that does not fit. */
const scarcity = 1.5;

/** Undefined where the least that both need does not fit. */
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
 * T_tot of P4 §4.3.1 for one split, with the batch that serves it best: the verifier reads every new step and the paths
 * that it no longer holds; the generator computes the paths that it no longer holds, then decodes in rounds of the batch.
 */
export function timedSplit(problem: KvSplitProblem, generatorTokens: number, verifierTokens: number): KvSplit {
  const { verifier, pathTokens, stepTokens, siblings, mostDecode } = problem;
  const paths = roundPaths(problem);
  const { verifierReusesPrefix, scoredApart = false } = problem;
  const lookups = verifierReusesPrefix && !scoredApart ? 1 : siblings;
  const verifierMiss = verifierReusesPrefix ? missed(verifierTokens / pathTokens / paths) : 1;
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

/** Time of the generator per path, in the middle of a step: what runs holds half of it, and has the first claim on cells. */
function generatingMs(problem: KvSplitProblem, generatorTokens: number, batch: number): number {
  const { generator, pathTokens, stepTokens, siblings } = problem;
  const halfStep = stepTokens / 2;
  const miss = missed((generatorTokens - batch * halfStep) / pathTokens / roundPaths(problem));
  const stepMs = decodeMs(generator, batch, batch * (pathTokens + halfStep));
  return miss * prefillMs(generator, pathTokens) + (siblings * stepTokens * stepMs) / batch;
}

function roundPaths({ memoryBytes, pathTokens, generatorTokenBytes, verifierTokenBytes }: KvSplitProblem): number {
  return Math.max(1, (scarcity * memoryBytes) / (pathTokens * (generatorTokenBytes + verifierTokenBytes)));
}

/** Share of paths that are gone when asked for again. Squared: a cache drops old paths first, and a tree comes back to its latest. */
function missed(heldShare: number): number {
  return (1 - Math.min(1, Math.max(0, heldShare))) ** 2;
}
