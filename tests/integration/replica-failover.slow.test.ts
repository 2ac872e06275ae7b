// Killing replicas in the middle of 100 searches, through the real runtime and real sockets.

import { afterEach, expect, it } from 'vitest';
import { plantWood, type Wood } from '../servers/many-searches.ts';
import { VllmServer } from '../servers/vllm-server.ts';

let wood: Wood;
afterEach(() => wood.close());

function expectWhole(searches: number): void {
  expect(wood.results.length).toBe(searches);
  expect(new Set(wood.results.map(({ id }) => id)).size).toBe(searches);
  expect([...wood.answers.values()].every((times) => times === 1)).toBe(true);
  expect(wood.runtime.inFlight).toBe(0);
  expect(wood.runtime.leasesTaken).toBe(0);
}

it('one of two dies: no search is lost, none is doubled', async () => {
  wood = await plantWood(2, 0);
  wood.submit(100);
  await wood.until(() => wood.results.length >= 20);
  await wood.servers[0]!.close();
  await wood.until(() => wood.results.length === 100);
  await wood.until(() => [...wood.answers.values()].every((times) => times === 1));
  expectWhole(100);
  for (const { exit, answer } of wood.results) {
    expect(['accepted', 'exhausted']).toContain(exit.kind);
    expect(answer?.complete).toBe(true);
  }
});

it('both die: searches with a deadline fail at it and say why, the others go on when one is back', async () => {
  wood = await plantWood(2, 0);
  const port = Number(new URL(wood.servers[0]!.url).port);
  const { vocabulary } = wood.servers[0]!;
  wood.submit(50);
  await wood.until(() => wood.results.length >= 10);
  await Promise.all(wood.servers.map((each) => each.close()));
  // Far above the median service: one below it would be given up at once, before the outage is noticed.
  wood.submit(10, { deadlineMs: 4000 });
  const failed = () => wood.results.filter(({ exit }) => exit.kind === 'failed');
  await wood.until(() => failed().length === 10);
  for (const { exit } of failed()) expect(exit.evidence.trouble).toMatch(/no server is up: .*nothing listens there/);
  expect(wood.engine.load().healthy).toBe(false);
  const back = await new VllmServer({ vocabulary, depth: 2 }).listen(port);
  await wood.until(() => wood.results.length === 60);
  await wood.until(() => [...wood.answers.values()].every((times) => times === 1));
  expectWhole(60);
  expect(failed().length).toBe(10);
  await back.close();
});
