import { tableCost } from '@coppice/core/cost';
import { extractAnswer, llama8b, prm7b, QuestionModel, SimEngine } from '@coppice/sim/engine';
import { RealTimeWorld } from '@coppice/sim/open';
import { SimVerifier } from '@coppice/sim/verifier';
import { expect, it } from 'vitest';
import type { BenchContender, BenchContest } from '../contest-shapes.ts';
import { modelConfig, parseLoad, profileOf } from '../service/index.ts';
import { type LoadFigures, type LoadPoint, openLoad } from './open-load.ts';
import { openLoadLines } from './open-load-table.ts';

/** A simulated machine on the real clock, five hundred times as fast, that says of itself what the simulator knows of it. */
function fastContest(): BenchContest {
  const model = new QuestionModel(profileOf('math500/8b'));
  const real = new RealTimeWorld(500);
  const size = { replicas: 1, kvTokens: 400_000 };
  const cost = tableCost(llama8b);
  const engine = new SimEngine(real.world, model, { ...size, cost, sequenceLimit: 256, prefillTokens: 8192 });
  const verifier = new SimVerifier(real.world, model, {
    ...size,
    cost: tableCost(prm7b),
    passTokens: 4096,
    reusesPrefix: true,
  });
  const measure = async () => ({ engine: llama8b });
  const sides = { engine: handedOn(real.engine(engine)), verifier: handedOn(real.verifier(verifier)) };
  const opened = { config: modelConfig, ...sides, measure };
  return {
    model: { ...opened, extract: extractAnswer } as unknown as BenchContest['model'],
    settings: { wish: { branching: 2 }, budget: 8, concurrency: 1, seed: 3 },
    isCorrect: ({ answer }, said) => said === answer,
  };
}

/** Whose messages go to the runtime that connected last, as those of the embedded engine do. */
function handedOn<Side extends { connect(post: (message: unknown) => void): void }>(side: Side): Side {
  let post: (message: unknown) => void = () => {};
  side.connect((message) => post(message));
  return {
    ...side,
    connect: (to: typeof post) => {
      post = to;
    },
  };
}

const contenders = (['positive', 'safe'] as const).map((policy): BenchContender => {
  return { name: policy, program: 'mcts', policy, rollouts: 3 };
});
const questions = Array.from({ length: 6 }, (_, at) => {
  return { id: String(at), question: `question ${at}`, answer: '1', solvable: true, difficulty: undefined };
});

it('serves the same questions under every policy and load, and says what the simulator makes of them', async () => {
  const heard: string[] = [];
  const plan = { contest: fastContest(), contenders, questions, loads: ['2p', '90/s'].map(parseLoad) };
  const { capacity, points, unrecorded } = await openLoad(plan, (about) => heard.push(about));
  expect(points.map(({ load, contender }) => `${load} ${contender}`)).toEqual([
    ...['2p positive', '2p safe', '90/s positive', '90/s safe'],
  ]);
  expect(points[0]!.perSecond).toBeCloseTo(2 * capacity, 9);
  expect(points[2]!.perSecond).toBe(90);
  for (const { measured, predicted } of points) {
    expect(measured.p95Ms).toBeGreaterThanOrEqual(measured.p50Ms);
    expect(predicted.p50Ms).toBeGreaterThan(0);
  }
  // What `positive` writes does not depend on when: the simulator says the same words again.
  expect(points[0]!.predicted.tokens).toBe(points[0]!.measured.tokens);
  expect(unrecorded).toBeLessThan(0.5);
  expect(heard).toHaveLength(5);
});

it('names the pairs that the simulator puts in another order, and claims no order of what is level', () => {
  const at = (p50Ms: number, p95Ms: number): LoadFigures => ({ p50Ms, p95Ms, tokens: 100, accuracy: 50 });
  const point = (contender: string, measured: LoadFigures, predicted: LoadFigures): LoadPoint => {
    return { load: '1p', perSecond: 2, contender, measured, predicted };
  };
  const points = [
    point('positive', at(1000, 8000), at(2000, 9000)),
    point('safe', at(500, 2000), at(1000, 3000)),
    point('boost', at(1050, 1000), at(950, 4000)),
  ];
  const lines = openLoadLines({ capacity: 2, points, unrecorded: 0.01, others: 0 });
  expect(lines).toContain('| 1p | safe | 0.50 | 2.00 | 2.00 | 2.00 | 4.00 | 3.00 | 50 | 100 |');
  expect(lines.slice(-2)).toEqual([
    '3 of 4 pairs of policies that differ by more than a tenth, measured and simulated, are in the same order',
    '1p, p95: safe 2.00 s (simulated 3.00), boost 1.00 s (simulated 4.00)',
  ]);
});
