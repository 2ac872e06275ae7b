// P1 §6.2, its baseline `baseline-length`: gives up on questions whose answers are long. A baseline to hold certainty against; long
// answers are no sign that more of them would not help. Promises nothing.

import { readable } from './evidence.ts';
import type { ExitRule } from './exit.ts';

/** `limit`: mean tokens of the first `answers` answers from which on nothing more is spent. */
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
