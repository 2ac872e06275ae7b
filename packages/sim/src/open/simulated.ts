// The simulated engine on the real clock, for `serve`: an 8B generator and a 7B reward model at measured H200 speed, with
// questions of every difficulty. The answers mean nothing; times, trees and exits resemble real ones.

import { tableCost } from '@coppice/core/cost';
import type { Engine } from '@coppice/core/engine';
import type { Verifier } from '@coppice/core/verifier';
import { llama8b, prm7b } from '../engine/h200.ts';
import { QuestionModel } from '../engine/questions/question-model.ts';
import type { QuestionProfile } from '../engine/questions/question-profile.ts';
import { extractAnswer } from '../engine/questions/question-text.ts';
import { SimEngine } from '../engine/sim-engine.ts';
import { SimVerifier } from '../verifier/sim-verifier.ts';
import { RealTimeWorld } from './simulated-real-time.ts';

/** Resembles a set of school mathematics: most questions are easy, some need search, some cannot be solved. */
export const servedProfile: QuestionProfile = {
  name: 'serve',
  easyShare: 0.5,
  scalingShare: 0.35,
  easy: { soundness: { low: 0.93, high: 1 }, strictness: { low: 1, high: 1.6 } },
  scaling: { soundness: { low: 0.5, high: 0.85 }, strictness: { low: 1, high: 1.6 } },
  impossible: { soundness: { low: 0.6, high: 0.9 }, strictness: { low: 1.2, high: 2 } },
  impossibleAtOnce: 0.12,
  meanSteps: 6,
  stepTokens: 40,
  stepTokensSpread: 0.6,
  blindShare: 0.08,
  blindChance: 0.5,
  missChance: 0.02,
  twinRate: 0,
};

const room = { sequenceLimit: 256, kvTokens: 400_000, prefillTokens: 8192 };

export function simulate(speed: number): {
  readonly engine: Engine;
  readonly verifier: Verifier;
  readonly extract: (pathText: string) => string | undefined;
} {
  const real = new RealTimeWorld(speed);
  const model = new QuestionModel(servedProfile);
  const engine = new SimEngine(real.world, model, { ...room, cost: tableCost(llama8b), replicas: 1 });
  const scoring = { cost: tableCost(prm7b), passTokens: 8192, kvTokens: 400_000, reusesPrefix: true };
  const verifier = new SimVerifier(real.world, model, { ...scoring, replicas: 1 });
  return { engine: real.engine(engine), verifier: real.verifier(verifier), extract: extractAnswer };
}
