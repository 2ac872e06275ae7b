import { describe, expect, it } from 'vitest';
import { prefillMs } from '../../../core/src/cost/cost.ts';
import { tableCost } from '../../../core/src/cost/table.ts';
import { pathOf, tipKey } from '../../../core/src/testing/case/paths.ts';
import type { Step } from '../../../core/src/tree/step.ts';
import type { ScoreRequest, VerifierMessage } from '../../../core/src/verifier/verifier.ts';
import { prm7b } from '../engine/h200.ts';
import type { RewardSource } from '../engine/source.ts';
import { World } from '../engine/world.ts';
import { SimVerifier, type SimVerifierOptions } from './sim-verifier.ts';

const cost = tableCost(prm7b);
const source: RewardSource = { promptTokens: () => 100, reward: (_prompt, path) => 1 / (1 + path.length) };
const options: SimVerifierOptions = { cost, replicas: 1, passTokens: 512, kvTokens: 10_000, reusesPrefix: true };

let steps = 0;

/** A new step at every call. */
function step(tokens: number): Step {
  steps += 1;
  return { text: `${steps}`, tokens, meanLogprob: 0, end: 'delimiter' };
}

function request(id: number, before: readonly Step[], scored: Step): ScoreRequest {
  const path = pathOf(...before);
  return {
    id,
    search: 'a',
    prompt: { kind: 'text', text: 'q' },
    parent: tipKey(path),
    index: id,
    step: scored,
    path,
    lane: 'primary',
    priority: 0,
  };
}

function setUp(overrides: Partial<SimVerifierOptions> = {}) {
  const world = new World();
  const log: { atMs: number; message: VerifierMessage }[] = [];
  const verifier = new SimVerifier(world, source, { ...options, ...overrides });
  verifier.connect((message) => log.push({ atMs: world.nowMs, message }));
  return { world, log, verifier, run: () => world.run(() => {}) };
}

describe('the simulated verifier', () => {
  it('scores what arrives in one instant in one pass, the prompt computed once', () => {
    const { log, verifier, run } = setUp();
    verifier.score([0, 1, 2, 3].map((id) => request(id, [], step(50))));
    run();
    expect(log.map(({ atMs }) => atMs)).toEqual(Array(4).fill(prefillMs(cost, 300)));
    expect(log[0]!.message).toMatchObject({ reward: 1, usage: { computedTokens: 150, cachedTokens: 0 } });
    expect(log[3]!.message).toMatchObject({ reward: 1, usage: { computedTokens: 50, cachedTokens: 100 } });
  });

  it('finds a scored step again as the prefix of the next, unless it does not reuse', () => {
    for (const reusesPrefix of [true, false]) {
      const { log, verifier, run } = setUp({ reusesPrefix });
      const [first, second] = [step(50), step(60)];
      verifier.score([request(0, [], first)]);
      run();
      verifier.score([request(1, [first], second)]);
      run();
      const usage = reusesPrefix ? { computedTokens: 60, cachedTokens: 150 } : { computedTokens: 210, cachedTokens: 0 };
      expect(log[1]!.message).toMatchObject({ reward: 0.5, usage });
    }
  });

  it('takes no time for a step that it has scored before, where it reuses', () => {
    const { log, verifier, run } = setUp();
    const same = step(50);
    verifier.score([request(0, [], same)]);
    run();
    verifier.score([request(1, [], same)]);
    run();
    expect(log[1]).toMatchObject({ atMs: log[0]!.atMs, message: { usage: { computedTokens: 0, cachedTokens: 150 } } });
  });

  it('takes longer in a full cache where every row looks at all of it', () => {
    const { log, verifier, run } = setUp({ cost: { ...cost, unreadTokenMs: 0.01 } });
    verifier.score([request(0, [], step(50))]);
    run();
    verifier.score([{ ...request(1, [], step(50)), search: 'b' }]);
    run();
    const alone = prefillMs(cost, 150);
    expect(log[0]!.atMs).toBeCloseTo(alone, 9);
    expect(log[1]!.atMs).toBeCloseTo(2 * alone + 150 * 150 * 0.01, 9);
  });

  it('answers later by what a call takes besides, and begins the next pass meanwhile', () => {
    const { world, log, verifier, run } = setUp({ callMs: 30 });
    const passMs = prefillMs(cost, 150);
    verifier.score([request(0, [], step(50))]);
    world.at(1, () => verifier.score([{ ...request(1, [], step(50)), search: 'b' }]));
    // A request in a pass stays there, however urgent it becomes.
    world.at(passMs + 1, () => verifier.update?.(0, { lane: 'primary', priority: 9 }));
    run();
    expect(log.map(({ atMs }) => atMs)).toEqual([passMs + 30, 2 * passMs + 30]);
    expect(verifier.busyMs).toBeCloseTo(2 * passMs, 9);
  });

  it('scores all that came meanwhile in one pass when nothing is generated any more, where the two alternate', () => {
    let rest = () => {};
    const onRest = (resume: () => void) => {
      rest = resume;
    };
    const gpu = { isTaken: true, onChange: () => {}, onRest, set: () => {}, factor: () => 1 };
    const { world, log, verifier, run } = setUp({ gpus: [gpu] });
    verifier.score([request(0, [], step(50))]);
    world.at(20, () => verifier.score([request(1, [], step(50))]));
    world.at(70, () => {
      gpu.isTaken = false;
      rest();
    });
    run();
    expect(log.map(({ atMs }) => atMs)).toEqual(Array(2).fill(70 + prefillMs(cost, 200)));
  });

  it('holds no more than one pass may, and takes primary work before speculative', () => {
    const { log, verifier, run } = setUp();
    const many = Array.from({ length: 12 }, (_, id) => request(id, [], step(100)));
    verifier.score(many.map((each) => ({ ...each, lane: each.id < 6 ? 'speculative' : 'primary' })));
    run();
    expect(log.map(({ message }) => message.request)).toEqual([6, 7, 8, 9, 10, 11, 0, 1, 2, 3, 4, 5]);
    expect(new Set(log.map(({ atMs }) => atMs)).size).toBe(3);
  });

  it('answers each request once: cancelled ones at once, waiting or in a pass; all when closed', async () => {
    const { world, log, verifier } = setUp();
    verifier.score([request(0, [], step(50)), request(1, [], step(50))]);
    verifier.cancel([1, 1, 99]);
    world.at(1, () => verifier.cancel([0]));
    world.at(2, () => verifier.score([request(2, [], step(50))]));
    world.run(() => {}, { untilMs: 3 });
    await verifier.close();
    verifier.score([request(3, [], step(50))]);
    world.run(() => {});
    expect(log.map(({ message }) => [message.request, message.type === 'fault' && message.fault.code])).toEqual([
      [1, 'cancelled'],
      [0, 'cancelled'],
      [2, 'cancelled'],
      [3, 'unavailable'],
    ]);
    expect(verifier.load()).toEqual({ waiting: 0, healthy: false });
  });
});
