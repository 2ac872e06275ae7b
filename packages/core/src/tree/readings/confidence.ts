// Confidence of a model in the words of a path, by DeepConf (Fu et al., arXiv 2508.15260 §2): the confidence of a token is the negative mean of the
// log probabilities of its likeliest candidates, a group is a window of tokens, and a path is as sure as its least sure group.

import { type Node, pathTo } from '../node.ts';

/** The authors' window, for chains of about 30,000 tokens. */
const longestWindow = 2048;

/** Windows in a path of usual length: as many as the authors have. */
const windowsPerPath = 16;

/** A window that follows the length of paths: 2,048 tokens would be longer than any short answer, and the rule silent. */
export function windowFor(paths: readonly Node[]): number {
  const tokens = paths.reduce((sum, { pathTokens }) => sum + pathTokens, 0);
  return Math.min(longestWindow, Math.max(1, Math.round(tokens / Math.max(1, paths.length) / windowsPerPath)));
}

/** −(1/k) Σ log P of the k likeliest candidates for a token. The k of a server is what it tells; the authors take 20 of vLLM's. */
export function tokenConfidence(logprobs: readonly number[], k = 20): number | undefined {
  const told = logprobs
    .filter(Number.isFinite)
    .sort((a, b) => b - a)
    .slice(0, k);
  if (told.length === 0) return undefined;
  return Math.round((-1000 * told.reduce((sum, each) => sum + each, 0)) / told.length) / 1000;
}

/** Undefined where a step of the path has no confidences: what is not known is not judged. */
function confidencesOf(node: Node): number[] | undefined {
  const steps = pathTo(node).map(({ step }) => step?.confidences);
  return steps.every((each) => each !== undefined) ? steps.flat() : undefined;
}

const known = new WeakMap<Node, Map<number, number | undefined>>();

/** The least of the means of all windows of a path up to here. `whole`: one that is shorter than a window is one group. */
export function lowestGroup(node: Node, window: number, whole: boolean): number | undefined {
  const key = whole ? window : -window;
  const held = known.get(node) ?? new Map<number, number | undefined>();
  if (!held.has(key)) held.set(key, lowestOf(confidencesOf(node), window, whole));
  known.set(node, held);
  return held.get(key);
}

function lowestOf(tokens: readonly number[] | undefined, window: number, whole: boolean): number | undefined {
  if (tokens === undefined || tokens.length === 0) return undefined;
  if (tokens.length < window) return whole ? tokens.reduce((sum, each) => sum + each, 0) / tokens.length : undefined;
  let sum = 0;
  let lowest = Number.POSITIVE_INFINITY;
  tokens.forEach((each, at) => {
    sum += each - (at >= window ? tokens[at - window]! : 0);
    if (at >= window - 1) lowest = Math.min(lowest, sum / window);
  });
  return lowest;
}
