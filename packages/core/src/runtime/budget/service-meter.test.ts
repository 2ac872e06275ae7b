import { expect, it } from 'vitest';
import { ServiceMeter } from './service-meter.ts';

/** So many children at a time, each generated in `tokenMs` a token and scored in `scoreMs`, both for each that is there. */
function measured(rounds: number, tokenMs: number, scoreMs: number, tokens = 20) {
  const meter = new ServiceMeter();
  let [id, nowMs] = [0, 0];
  for (let round = 0; round < rounds; round += 1) {
    const among = 1 + (round % 8);
    for (const kind of ['engine', 'verifier'] as const) {
      const ids = Array.from({ length: among }, () => id++);
      for (const each of ids) meter.started(kind, each, nowMs);
      meter.servers(among);
      nowMs += kind === 'engine' ? tokens * tokenMs * (1 + among) : scoreMs * among;
      for (const each of ids) meter.ended(kind, each, nowMs, tokens);
    }
  }
  return meter;
}

it('says nothing before enough was measured', () => {
  expect(new ServiceMeter().servers(4)).toBeUndefined();
  expect(measured(2, 1, 5).servers(4)).toBeUndefined();
});

it('finds what engine and verifier take over what they have, and how many children a strand has on the way', () => {
  const { engine, verifier, perStrand } = measured(200, 1, 5).servers(8)!;
  // Children leave one by one, so that each saw about three quarters of those it came with.
  expect(engine.line.slopeMs).toBeGreaterThan(20);
  expect(engine.line.slopeMs).toBeLessThan(45);
  expect(verifier!.line.slopeMs).toBeGreaterThan(5);
  expect(verifier!.line.slopeMs).toBeLessThan(10);
  expect(perStrand).toBeCloseTo(1, 0);
});

it('does not take a long step for a slow engine, and counts nothing that was cancelled', () => {
  const short = measured(200, 1, 5, 10).servers(8)!.engine.line;
  const long = measured(200, 1, 5, 40).servers(8)!.engine.line;
  expect(long.slopeMs / short.slopeMs).toBeCloseTo(4, 5);
  const meter = measured(200, 1, 5);
  const { overTime: _, ...before } = meter.servers(0)!;
  meter.started('engine', -1, 0);
  meter.ended('engine', -1, 1e9, undefined);
  expect(meter.servers(0)).toMatchObject(before);
});

it('knows how many children a strand has on the way over time, whenever it is asked', () => {
  const meter = new ServiceMeter();
  for (let round = 0; round < 100; round += 1) {
    const ids = [0, 1, 2, 3].map((each) => 4 * round + each);
    meter.servers(1);
    for (const id of ids) meter.started('engine', id, 40 * round);
    // One after the other comes back, the last after 40 ms: two and a half are on the way in the mean.
    ids.forEach((id, at) => void meter.ended('engine', id, 40 * round + 10 * (at + 1), 10));
  }
  const { perStrand, overTime } = meter.servers(1)!;
  expect(overTime).toBeCloseTo(2.5, 1);
  expect(perStrand).toBe(0);
});

it('knows by its steady line what a child costs, when the load has been even for so long that the latest does not', () => {
  const meter = measured(200, 1, 5);
  let [id, nowMs] = [1e6, 1e6];
  for (let round = 0; round < 600; round += 1) {
    const ids = Array.from({ length: 4 }, () => id++);
    for (const each of ids) meter.started('engine', each, nowMs);
    nowMs += 100;
    for (const each of ids) meter.ended('engine', each, nowMs, 20);
  }
  const { line, steady } = meter.servers(4)!.engine;
  expect(line.slopeMs).toBe(0);
  expect(steady.slopeMs).toBeGreaterThan(15);
});

it('knows the time of a token from a first wave on, and on a slow engine what reading costs', () => {
  expect(measured(1, 300, 5).tokenMs).toBe(0);
  // One to eight children of 20 tokens, each of them 300 ms · (1 + children): 352 ms a token in the mean.
  const slow = measured(64, 300, 600);
  expect(slow.tokenMs).toBeGreaterThan(300);
  expect(slow.readingCost).toBeUndefined();
  slow.read(2100);
  expect(slow.readingCost).toBeGreaterThan(0);
});
