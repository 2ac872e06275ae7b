// Pruning by group confidence (DeepConf, Fu et al., arXiv 2508.15260): a sample ends when the model's confidence over a window of tokens falls below
// the lowest of most warm-up samples. It knows the words alone, not whether they are right. The authors use the mean log probability of the 20
// likeliest tokens at every token. Here it is that of the drawn token, which every engine gives, read at the end of each step. The simulator builds
// its gain into its log probabilities, so only a real model could show one; none was measured.

import { readable } from '@coppice/core/exit';
import { sampleEnds } from '@coppice/core/tree';
import { definePrune, type Node, type PruneRule, pathTo } from 'coppice';

interface ConfidenceOptions {
  /** Share of the samples that warmed it up which it would have ended: the strictness that the authors call by two opposite percentiles. */
  readonly confidencePrune: number;
  /** Tokens of a window; a path with fewer is not judged. */
  readonly confidenceWindow: number;
  /** Samples that have come to their ends before it ends any: the first by their indices, since the first to end are the short ones. */
  readonly confidenceWarmup: number;
}

export function pruneConfidence({ confidencePrune, confidenceWindow, confidenceWarmup }: ConfidenceOptions): PruneRule {
  return {
    name: 'confidence',
    readsLogprobs: true,
    judge({ tree }) {
      const first = sampleEnds(tree, confidenceWarmup);
      const lowest = first.map((node) => lowestConfidence(node, confidenceWindow));
      if (lowest.length < confidenceWarmup) return undefined;
      const bound = lowest.sort((a, b) => a - b)[Math.ceil(confidencePrune * lowest.length) - 1];
      if (bound === undefined || bound === Number.POSITIVE_INFINITY) return undefined;
      return (node) => {
        const confidence = groupConfidence(node, confidenceWindow);
        if (confidence === undefined || confidence > bound) return undefined;
        return { confidence: readable(confidence), bound: readable(bound), window: confidenceWindow };
      };
    },
  };
}

/** Of the windows that end with a step of this path; one that is too short for any was never in doubt. */
function lowestConfidence(end: Node, window: number): number {
  const groups = pathTo(end).flatMap((node) => groupConfidence(node, window) ?? []);
  return Math.min(Number.POSITIVE_INFINITY, ...groups);
}

/** The mean log probability of the last whole steps of a path; undefined if they have too few tokens. */
export function groupConfidence(node: Node, window: number): number | undefined {
  let [tokens, sum] = [0, 0];
  for (let at: Node | undefined = node; at?.step !== undefined && tokens < window; at = at.parent) {
    tokens += at.step.tokens;
    sum += at.step.meanLogprob * at.step.tokens;
  }
  return tokens < window ? undefined : sum / tokens;
}

export const confidencePrune = definePrune({
  name: 'confidence',
  summary: 'the model has become unsure of its words (DeepConf)',
  options: {
    confidencePrune: {
      default: 0,
      low: 0,
      high: 1,
      unit: 'share of samples',
      why: '0 is off; 0.1 ends few (the high setting of DeepConf), 0.9 most (its low one)',
    },
    confidenceWindow: {
      default: 64,
      low: 1,
      high: 100_000,
      whole: true,
      unit: 'tokens',
      why: 'the authors take 2048 of answers of 30,000, this is for answers of some hundred',
    },
    confidenceWarmup: {
      default: 8,
      low: 1,
      high: 100_000,
      whole: true,
      unit: 'samples',
      why: "half of the usual 16, which is the authors' own for far more samples",
    },
  },
  make: pruneConfidence,
});
