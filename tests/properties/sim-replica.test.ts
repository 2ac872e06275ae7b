// The event-driven GPU against the same GPU walked step by step, on random small workloads with prefix reuse, lanes,
// priorities, cancels, a full batch and a full cache: the same messages, at the same instants, in the same order.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hash, Random } from '../../packages/core/src/base/random.ts';
import { tableCost } from '../../packages/core/src/cost/table.ts';
import type { EngineMessage, GenerateRequest, PathStep, RequestId } from '../../packages/core/src/engine/engine.ts';
import { below, tipKey } from '../../packages/core/src/testing/case/paths.ts';
import type { Step } from '../../packages/core/src/tree/step.ts';
import { llama8b } from '../../packages/sim/src/engine/h200.ts';
import { SimReplica, type SimReplicaOptions } from '../../packages/sim/src/engine/sim-replica.ts';
import { World } from '../../packages/sim/src/engine/world.ts';
import { StepwiseReplica } from './stepwise-replica.ts';

interface Workload {
  readonly seed: number;
  readonly searches: number;
  readonly sequenceLimit: number;
  readonly kvTokens: number;
  readonly prefillTokens: number;
  readonly cancels: number;
  readonly updates?: number;
  /** Microseconds that an unread token costs a row; 0 for a paged cache. */
  readonly unread?: number;
}

const workloads: fc.Arbitrary<Workload> = fc.record({
  seed: fc.integer({ min: 0, max: 1_000_000 }),
  searches: fc.integer({ min: 1, max: 6 }),
  sequenceLimit: fc.integer({ min: 1, max: 9 }),
  kvTokens: fc.integer({ min: 420, max: 1200 }),
  prefillTokens: fc.integer({ min: 1, max: 400 }),
  cancels: fc.integer({ min: 0, max: 5 }),
  updates: fc.integer({ min: 0, max: 12 }),
  unread: fc.integer({ min: 0, max: 20 }),
});

type AnyReplica = Pick<SimReplica, 'enqueue' | 'cancel' | 'update' | 'release'>;
type Make = (world: World, options: SimReplicaOptions, post: (message: EngineMessage) => void) => AnyReplica;

interface Line {
  readonly atMs: number;
  readonly what: string;
}

/** Searches that grow by themselves: each finished step brings children below it, drawn by the request's own number. */
function play(workload: Workload, make: Make): { lines: Line[]; world: World; asked: number; replica: AnyReplica } {
  const world = new World();
  const lines: Line[] = [];
  const inbox: EngineMessage[] = [];
  const asked = new Map<RequestId, GenerateRequest>();
  const open = new Map<string, number>();
  const { unread = 0 } = workload;
  const cost = tableCost({ ...llama8b, ...(unread > 0 ? { unreadTokenMs: unread / 1000 } : {}) });
  const replica = make(world, { cost, ...workload }, (message) => inbox.push(message));

  const ask = (id: number, search: string, path: readonly PathStep[]): void => {
    const random = new Random(workload.seed, 'request', id);
    const request: GenerateRequest = {
      id,
      search,
      path,
      parent: tipKey(path),
      index: id % 4,
      sampling: { temperature: 1 },
      seed: id,
      prompt: { kind: 'text', text: search },
      delimiters: ['\n'],
      maxTokens: 40,
      lane: random.chance(0.3) ? 'speculative' : 'primary',
      priority: random.integer(3),
    };
    const tokens = 1 + random.integer(random.chance(0.2) ? 40 : 12);
    const step: Step = { text: `${id}`, tokens, meanLogprob: 0, end: 'delimiter' };
    asked.set(id, request);
    open.set(search, (open.get(search) ?? 0) + 1);
    replica.enqueue(request, step, 20 + (search.length % 7));
  };

  const react = (): void => {
    for (let message = inbox.shift(); message !== undefined; message = inbox.shift()) {
      if (message.type === 'token') continue;
      const { search, path } = asked.get(message.request)!;
      lines.push({ atMs: world.nowMs, what: JSON.stringify(message) });
      open.set(search, open.get(search)! - 1);
      const random = new Random(workload.seed, 'after', message.request);
      if (message.type === 'step' && path.length < 5) {
        const children = random.integer(3);
        for (let child = 0; child < children; child += 1) {
          ask(hash(message.request, child), search, below(path, message.step));
        }
      }
      if (open.get(search) === 0) replica.release(search);
    }
  };

  const random = new Random(workload.seed, 'arrivals');
  for (let each = 0; each < workload.searches; each += 1) {
    const at = random.exponential(60) * each;
    const siblings = 1 + random.integer(4);
    world.at(at, () => {
      for (let child = 0; child < siblings; child += 1) ask((each + 1) * 1e6 + child, `search ${each}`, []);
    });
  }
  const anyOf = (): RequestId | undefined => {
    const ids = [...asked.keys()].sort((a, b) => a - b);
    return ids[random.integer(Math.max(1, ids.length))];
  };
  for (let each = 0; each < workload.cancels; each += 1) {
    world.at(random.uniform() * 800, () => {
      const id = anyOf();
      if (id !== undefined) replica.cancel(id);
    });
  }
  for (let each = 0; each < (workload.updates ?? 0); each += 1) {
    world.at(random.uniform() * 800, () => {
      const [id, priority] = [anyOf(), random.integer(3)];
      if (id !== undefined) replica.update(id, { lane: random.chance(0.5) ? 'primary' : 'speculative', priority });
    });
  }
  world.run(react);
  return { lines, world, asked: asked.size, replica };
}

const eventDriven: Make = (world, options, post) => new SimReplica(world, options, post);
const stepwise: Make = (world, options, post) => new StepwiseReplica(world, options, post);

function expectTheSame(workload: Workload): void {
  const fast = play(workload, eventDriven).lines;
  const slow = play(workload, stepwise).lines;
  expect(fast.map((line) => line.what)).toEqual(slow.map((line) => line.what));
  fast.forEach((line, at) => {
    expect(line.atMs).toBeCloseTo(slow[at]!.atMs, 6);
  });
}

describe('a simulated GPU', () => {
  it('says the same at the same instants as one that walks every decode step', () => {
    fc.assert(fc.property(workloads, expectTheSame), { numRuns: 300 });
  });

  it('admits again right after a sequence that gave way for want of room left more than was lacking', () => {
    const tight = { sequenceLimit: 9, kvTokens: 425, prefillTokens: 1 };
    expectTheSame({ seed: 735683, searches: 6, cancels: 2, ...tight });
  });

  it('answers every request exactly once, counts every token and gives all memory back', () => {
    fc.assert(
      fc.property(workloads, (workload) => {
        const { lines, asked, replica } = play(workload, eventDriven);
        const messages = lines.map((line) => JSON.parse(line.what) as EngineMessage);
        expect(new Set(messages.map((message) => message.request)).size).toBe(asked);
        expect(messages.length).toBe(asked);
        for (const message of messages) {
          if (message.type === 'step') expect(message.usage.generatedTokens).toBe(message.step.tokens);
        }
        const { running, waiting, usedTokens } = replica as SimReplica;
        expect({ running, waiting, usedTokens }).toEqual({ running: 0, waiting: 0, usedTokens: 0 });
      }),
      { numRuns: 200 },
    );
  });

  it('needs far fewer instants than steps where sequences are long', () => {
    const workload = { seed: 7, searches: 4, sequenceLimit: 8, kvTokens: 2000, prefillTokens: 400, cancels: 0 };
    const fast = play(workload, eventDriven).world.instants;
    const slow = play(workload, stepwise).world.instants;
    expect(fast).toBeLessThan(slow);
  });
});
