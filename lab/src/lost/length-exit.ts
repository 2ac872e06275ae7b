// P1 §6.2, its baseline `baseline-length`: gives up questions with long answers. A baseline for certainty; long answers are no sign
// that more of them would not help. Promises nothing.

import { readable } from '@coppice/core/exit';
import { defineExit, type ExitRule } from 'coppice';

/** `limit`: mean tokens of the first `answers` answers from which on the search ends. */
export function exitByLength(limit: number, answers: number): ExitRule {
  return {
    name: 'length',
    check({ belief }) {
      const first = belief.votes().slice(0, answers);
      if (first.length < answers) return undefined;
      const mean = first.reduce((sum, { node }) => sum + node.pathTokens, 0) / answers;
      if (mean <= limit) return undefined;
      return { kind: 'exhausted', rule: 'length', evidence: { answers, meanTokens: readable(mean), limit } };
    },
  };
}

export const lengthExit = defineExit({
  name: 'length',
  summary: 'the first answers are long (P1 §6.2)',
  options: {
    lengthExit: { default: 0, low: 0, high: 1_000_000, whole: true, unit: 'tokens', why: 'on average; 0 is off' },
    lengthAnswers: { default: 5, low: 1, high: 100_000, whole: true, unit: 'answers', why: 'those that are read' },
  },
  make: (options) => exitByLength(options.lengthExit || Number.POSITIVE_INFINITY, options.lengthAnswers),
});
