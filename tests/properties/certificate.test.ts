// The word of the certificate: of simulated questions that it could have ended after every sample, at most a share ε ends on
// an answer that is not the model's most frequent one. Beta, read as often, is beside it to show why that is worth something.

import { expect, test } from 'vitest';
import { Random } from '../../packages/core/src/base/random.ts';
import { leadEvidence, leadProbability } from '../../packages/core/src/exit/certificate.ts';

const risk = 0.05;
const most = 100;

/** Shares of the answers of one model on one question; the first is its most frequent. */
const models: readonly (readonly number[])[] = [
  [0.51, 0.49],
  [0.55, 0.45],
  [0.4, 0.35, 0.25],
  [0.22, 0.2, 0.2, 0.2, 0.18],
  [0.3, ...Array<number>(7).fill(0.1)],
  [0.12, ...Array<number>(8).fill(0.11)],
];

type Certain = (leader: number, rival: number, rivals: number) => boolean;
const byCertificate: Certain = (leader, rival, rivals) => leadEvidence(leader, rival) >= rivals / risk;
const byBeta: Certain = (leader, rival) => leadProbability(leader, rival) >= 1 - risk;

/** Samples until the rule fires; where the leader was not the model's own, the stop was wrong. */
function ask(model: readonly number[], random: Random, certain: Certain): { samples: number; wrong: boolean } {
  const counts = model.map(() => 0);
  for (let samples = 1; samples <= most; samples += 1) {
    counts[draw(model, random.uniform())]! += 1;
    const [leader = 0, rival = 0] = counts.toSorted((a, b) => b - a);
    const rivals = Math.max(1, counts.filter((count) => count > 0).length - 1);
    if (leader > rival && certain(leader, rival, rivals)) return { samples, wrong: counts[0]! < leader };
  }
  return { samples: most, wrong: false };
}

function draw(model: readonly number[], chance: number): number {
  let sum = 0;
  for (const [at, share] of model.entries()) {
    sum += share;
    if (chance < sum) return at;
  }
  return model.length - 1;
}

function wrongStops(certain: Certain, questions: number): number[] {
  return models.map((model, at) => {
    const random = new Random('certificate', at);
    return Array.from({ length: questions }, () => ask(model, random, certain)).filter(({ wrong }) => wrong).length;
  });
}

test('no more than a share ε of the stops is wrong, whatever the model, looked at after every sample', () => {
  const questions = 10_000 / models.length;
  for (const wrong of wrongStops(byCertificate, questions)) expect(wrong / questions).toBeLessThanOrEqual(risk);
});

test('adaptive consistency, looked at as often, is wrong far more often than its ε where answers are close', () => {
  const [close = 0] = wrongStops(byBeta, 200);
  expect(close / 200).toBeGreaterThan(2 * risk);
});
