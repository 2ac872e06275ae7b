import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { MeasuredMachine } from '../machine-table/measured-machine.ts';
import { traceStreamOf } from '../service/index.ts';
import { evenSlowdown } from '../sim/slowdown.ts';
import { runTrial } from '../sim/trial.ts';
import { percentile } from '../statistics.ts';
import { gpusNeeded, rateHeld } from './answer.ts';
import { capacityLines } from './capacity-lines.ts';
import type { CapacityPlan, RunTrial } from './stream-capacity.ts';

/** One sequence at a time, 10 ms a token, nothing besides: a single server that serves in order. */
const oneByOne: MeasuredMachine = {
  name: 'one by one',
  generator: {
    contexts: [100],
    decode: [
      [1, 10],
      [2, 10],
    ],
    prefill: [
      [1, 0.001],
      [10_000, 0.001],
    ],
    requestMs: 0,
    kvTokens: 100_000,
    sequenceLimit: 1,
  },
  rewardModel: {
    pass: [
      [1, 1],
      [1000, 1],
    ],
    callMs: 0,
    extraTokens: 0,
    passTokens: 1000,
    reusesPrefix: true,
    kvTokens: 100_000,
  },
  slowdown: evenSlowdown(1, 1),
};

const file = join(mkdtempSync(join(tmpdir(), 'capacity-')), 'requests.jsonl');
const lines = Array.from({ length: 400 }, (_, at) => {
  return { timestamp: 100 * at + (at % 7) * 9, input_length: 50, output_length: 20 + ((at * 37) % 160) };
});
writeFileSync(file, lines.map((each) => JSON.stringify(each)).join('\n'));

const plan: CapacityPlan = {
  trace: { file },
  machine: oneByOne,
  contender: { program: 'greedy', policy: 'vanilla' },
  setting: 'math500/8b',
  rollouts: 1,
  budget: 1,
  p99Ms: 6000,
  requests: 120,
  streams: 6,
  seed: 1,
};

/** Waiting by hand (Lindley): who comes while another is served waits for its end. */
function p99ByHand(serviceMs: readonly number[], arrivalsMs: readonly number[]): number {
  let freeMs = 0;
  const tookMs = serviceMs.map((ms, at) => {
    freeMs = Math.max(freeMs, arrivalsMs[at]!) + ms;
    return freeMs - arrivalsMs[at]!;
  });
  return percentile(tookMs.slice(tookMs.length / 10), 99);
}

/** The same stream, one request after the other: how long each is served for. */
function handWorked(stream: number): number {
  const seed = plan.seed + stream;
  const trace = { file, resampled: { seed, blockRequests: 30 } };
  const { machine, contender, setting, rollouts, budget } = plan;
  const place = { machine, contender, setting, rollouts, budget, threshold: 0.65, verifierReuses: true, gpus: 1 };
  const { served } = runTrial({ ...place, requests: 120, seed, trace, arrivals: { kind: 'one-by-one' } });
  const serviceMs = served.map(({ tokens }) => 10 * tokens);
  const saturated = (1000 * served.length) / serviceMs.reduce((sum, each) => sum + each, 0);
  let [low, high] = [0.01 * saturated, 2 * saturated];
  for (let step = 0; step < 40; step += 1) {
    const rate = Math.sqrt(low * high);
    if (p99ByHand(serviceMs, traceStreamOf(trace).arrivalsMs(120, rate)) <= plan.p99Ms) low = rate;
    else high = rate;
  }
  return Math.min(low, saturated);
}

const here: RunTrial = async (spec) => runTrial(spec);
const ofOne = rateHeld(plan, 1, here);

it('finds the rate that a single queue holds, as worked out by hand', async () => {
  const found = (await ofOne)!;
  const byHand = Array.from({ length: 6 }, (_, stream) => handWorked(stream)).toSorted((a, b) => a - b);
  const middle = (byHand[2]! + byHand[3]!) / 2;
  expect(found.perSecond.value / middle).toBeGreaterThan(0.94);
  expect(found.perSecond.value / middle).toBeLessThan(1.06);
  expect(found.perSecond.low / byHand[0]!).toBeGreaterThan(0.94);
  expect(found.latencies.p99Ms).toBeLessThanOrEqual(plan.p99Ms);
  const [answer, edge, ...ground] = capacityLines({ gpus: 1 }, plan, found);
  expect(answer).toMatch(
    /^1 GPU holds \d\.\d\d \[\d\.\d\d, \d\.\d\d\] searches a second at p99 6 s \(simulated; median/,
  );
  expect(edge).toMatch(/^at the edge p50 is /);
  expect(ground.join('\n')).toContain('measured: decode steps of up to 2 sequences with 100 tokens each');
});

it('finds how many of them a rate needs: of servers each with its own searches, about so many times the one', async () => {
  const one = (await ofOne)!.perSecond.value;
  const found = (await gpusNeeded(plan, 2.5 * one, here))!;
  expect(found.gpus.value).toBeGreaterThanOrEqual(2);
  expect(found.gpus.value).toBeLessThanOrEqual(3);
  expect(found.gpus.low).toBeLessThanOrEqual(found.gpus.value);
  expect(found.gpus.high).toBeGreaterThanOrEqual(found.gpus.value);
});

it('says that nothing is held where a search alone takes longer than the bound', async () => {
  const strict = { ...plan, p99Ms: 50 };
  const found = await rateHeld(strict, 1, here);
  expect(found).toBeUndefined();
  expect(capacityLines({ gpus: 1 }, strict, found)[0]).toMatch(/^1 GPU holds no rate at p99 0.05 s \(simulated/);
});
