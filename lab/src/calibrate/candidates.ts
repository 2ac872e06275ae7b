// The settings that are tried for a program: every rule of certainty that goes with it, each at a grid of its thresholds.

import { assert } from '@coppice/core/base';
import type { CertaintyRule } from '@coppice/core/exit';
import { programOf } from '@coppice/core/program';
import { createRules, type ExitRule, type PolicyOptions, type ProgramName } from 'coppice';

export type CandidateSettings = Partial<PolicyOptions> & { readonly certain: CertaintyRule };

const answers = [3, 5, 8, 12, 16] as const;
const agreements = [0.4, 0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 1] as const;
const rewards = [0, 0.4, 0.6, 0.8, 0.9, 0.95, 0.99] as const;
const exponents = [0.5, 1, 2, 4] as const;
const risks = [0.2, 0.1, 0.05, 0.02, 0.01] as const;

/** `rollouts`: what the search may use; a rule that is read later than that ends nothing. */
export function candidatesFor(program: ProgramName, rollouts: number): CandidateSettings[] {
  const { needsVerifier, samplesIndependently } = programOf(program);
  const early = answers.filter((count) => count < rollouts);
  return [
    ...early.flatMap((certainAnswers) => thresholds(certainAnswers, needsVerifier ? rewards : [0])),
    ...early.flatMap((certainAnswers) =>
      exponents.map((certainCurve) => ({ certain: 'curve', certainAnswers, certainCurve }) as const),
    ),
    ...early.map((certainAnswers) => ({ certain: 'margin', certainAnswers }) as const),
    ...(samplesIndependently ? counting(early) : []),
  ];
}

function thresholds(certainAnswers: number, asked: readonly number[]): CandidateSettings[] {
  return agreements.flatMap((certainAgreement) =>
    asked.map((certainReward) => ({ certain: 'threshold', certainAnswers, certainAgreement, certainReward }) as const),
  );
}

/** Rules that count votes of independent samples. */
function counting(early: readonly number[]): CandidateSettings[] {
  return [
    ...(['beta', 'certificate'] as const).flatMap((certain) =>
      risks.map((certainRisk) => ({ certain, certainRisk }) as const),
    ),
    ...early.map((certainAnswers) => ({ certain: 'windows', certainAnswers }) as const),
  ];
}

/** The very rule that would run with these settings. */
export function candidateRule(settings: CandidateSettings): ExitRule {
  const rule = createRules('vanilla', settings).exits.find(({ name }) => name === settings.certain);
  assert(rule !== undefined, `no rule '${settings.certain}'`);
  return rule;
}
