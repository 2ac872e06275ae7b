// Speculation yields within a step: to a search that arrives, and where the engine lacks memory.

import { expect, it } from 'vitest';
import { ToyEngine, ToyVerifier, ToyWorld } from '../../../../tests/support/toy.ts';
import { createScheduler } from '../policy/create.ts';
import { createMcts } from '../program/mcts/mcts.ts';
import { Runtime } from './runtime.ts';
import type { SearchRequest } from './search/request.ts';

class SqueezableEngine extends ToyEngine {
  squeezed = false;

  override load() {
    return { ...super.load(), squeezed: this.squeezed };
  }
}

function request(id: string, speculate?: number): SearchRequest {
  return {
    id,
    prompt: { kind: 'text', text: id },
    program: createMcts({ rollouts: 16, branching: 3 }),
    rules: { exits: [], prunes: [], boost: false, ...(speculate === undefined ? {} : { speculate }) },
    limits: { threshold: 1, rollouts: 16 },
    seed: 7,
    priority: 0,
    delimiters: ['\n'],
    stepTokens: 64,
    extract: (text) => text,
  };
}

/** One search that speculates, in the middle of its work; `open` is what of it is with the engine and not given up. */
function speculating(budget: number) {
  const toys = new ToyWorld();
  const engine = new SqueezableEngine(toys);
  const scheduler = createScheduler('vanilla', { speculate: 4 });
  const runtime = new Runtime({ engine, verifier: new ToyVerifier(toys), scheduler, budget, clock: toys.clock });
  const open = () =>
    [...(runtime.running.get('a')?.flights.values() ?? [])].filter(({ lane }) => lane === 'speculative');
  runtime.submit(request('a'));
  toys.run(runtime, 1_000_000, () => open().length >= 6);
  return { toys, engine, runtime, open };
}

it('to a search that arrives: what it needs is free before it is asked for, in the same step', () => {
  const { engine, runtime, open } = speculating(3);
  const before = open().map(({ id }) => id);
  runtime.submit(request('b'));
  runtime.submit(request('c'));
  runtime.step();
  expect([...runtime.running.keys()]).toEqual(['a', 'b', 'c']);
  expect(open()).toEqual([]);
  expect(engine.cancelled).toEqual(expect.arrayContaining(before));
  expect(engine.requests.filter(({ search }) => search !== 'a')).toHaveLength(6);
});

it('gives each search as many as its own rules say, whatever the others have', () => {
  const toys = new ToyWorld();
  const engine = new ToyEngine(toys);
  const scheduler = createScheduler('vanilla', {});
  const runtime = new Runtime({ engine, verifier: new ToyVerifier(toys), scheduler, budget: 64, clock: toys.clock });
  const asked = [2, 0, undefined, 5];
  for (const [at, speculate] of asked.entries()) runtime.submit(request(String(at), speculate));
  const most = asked.map(() => 0);
  toys.run(runtime, 1_000_000, () => {
    for (const [id, { speculation }] of runtime.running)
      most[Number(id)] = Math.max(most[Number(id)]!, speculation.open.size);
    return false;
  });
  expect(most).toEqual([2, 0, 0, 5]);
});

it('where the engine lacks memory, and begins again where it has some', () => {
  const { toys, engine, runtime, open } = speculating(16);
  engine.squeezed = true;
  runtime.step();
  expect(open()).toEqual([]);
  expect(runtime.running.get('a')!.width.speculative).toBe(0);
  engine.squeezed = false;
  toys.run(runtime, 1_000_000, () => open().length > 0);
  expect(open().length).toBeGreaterThan(0);
});
