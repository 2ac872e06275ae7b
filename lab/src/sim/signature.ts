// A hash of a small canonical run: every latency, token, answer and exit of two settings under all policies.
// It changes exactly when a decision changes; CI compares it with tests/golden/sim-signature.txt.

import { createHash } from 'node:crypto';
import { rows } from '../service/index.ts';
import { contenderOf } from './contenders.ts';
import { runTrial, trialDefaults } from './trial.ts';

export function simSignature(): string {
  const hash = createHash('sha256');
  for (const setting of ['math500/8b', 'amc23/14b'] as const) {
    for (const row of rows) {
      const arrivals = { kind: 'rate', perSecond: 2 } as const;
      const small = { requests: 24, budget: 16, arrivals };
      const { served } = runTrial({ ...trialDefaults, ...small, setting, contender: contenderOf(row) });
      for (const { arrivalMs, endedMs, tokens, rollouts, correct, exit } of served) {
        // Microseconds: what the last bits of a floating-point library do is not behaviour.
        const times = [arrivalMs, endedMs].map((each) => Math.round(each * 1000));
        hash.update(`${[...times, tokens, rollouts, correct, exit].join(' ')}\n`);
      }
    }
  }
  return hash.digest('hex').slice(0, 16);
}
