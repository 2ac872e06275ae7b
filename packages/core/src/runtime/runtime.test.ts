import { describe, expect, it } from 'vitest';
import { simpleScheduler } from '../../../../tests/support/simple-scheduler.ts';
import { ToyEngine, ToyVerifier, ToyWorld } from '../../../../tests/support/toy.ts';
import { createBeam } from '../../../papers/src/levels/beam.ts';
import { createChain } from '../../../papers/src/programs/chain.ts';
import { isTreeEvent, type LoggedEvent } from '../log/events.ts';
import { SearchFold } from '../log/fold.ts';
import { createPolicy } from '../policy/create.ts';
import { createBestOfN, createGreedy, createSelfConsistency } from '../program/best-of-n.ts';
import { createMcts } from '../program/mcts/mcts.ts';
import type { Program } from '../program/program.ts';
import { createPanel } from '../program/whole-answers/panel.ts';
import { digestTree } from '../testing/program/digest.ts';
import { readExpansions } from '../testing/program/expansions.ts';
import { isFold, type TreeEvent } from '../tree/events.ts';
import { Tree } from '../tree/tree.ts';
import { Runtime } from './runtime.ts';
import { Ledger } from './search/ledger.ts';
import type { SearchRequest, SearchResult } from './search/request.ts';

function request(id: string, program: Program, over: Partial<SearchRequest> = {}): SearchRequest {
  return {
    id,
    prompt: { kind: 'text', text: id },
    program,
    rules: { exits: [], prunes: [], boost: false },
    limits: { threshold: 0.65, rollouts: 16 },
    seed: 7,
    priority: 0,
    delimiters: ['\n'],
    stepTokens: 64,
    extract: (text) => text.slice(-3),
    ...over,
  };
}

function world(over: { budget?: number; speculative?: number } = {}) {
  const toys = new ToyWorld();
  const engine = new ToyEngine(toys);
  const verifier = new ToyVerifier(toys);
  const log: LoggedEvent[] = [];
  const results: SearchResult[] = [];
  const runtime = new Runtime({
    engine,
    verifier,
    scheduler: simpleScheduler(over.speculative ?? 0),
    budget: over.budget ?? 128,
    clock: toys.clock,
    onEvent: (event) => log.push(event),
    onEnd: (result) => results.push(result),
  });
  return { toys, engine, verifier, runtime, log, results };
}

describe('the runtime', () => {
  it('runs one serial MCTS search to the end of its rollouts', () => {
    const { toys, runtime, results, log } = world();
    runtime.submit(request('a', createMcts({ rollouts: 16 })));
    toys.run(runtime);
    expect(results).toHaveLength(1);
    expect(results[0]).toMatchObject({ id: 'a', rollouts: 16, exit: { kind: 'exhausted' } });
    expect(results[0]?.answer?.complete).toBe(true);
    expect(runtime.leasesTaken).toBe(0);
    expect(runtime.inFlight).toBe(0);
    const open = log.map(({ event }) => (event.type === 'opened' ? 1 : event.type === 'closed' ? -1 : 0));
    let now = 0;
    for (const change of open) {
      now += change;
      expect(now).toBeLessThanOrEqual(1);
    }
  });

  it('measures its own time: from the arrival of an answer to the end of the step that sends what follows', () => {
    const { toys, engine, runtime } = world();
    runtime.submit(request('a', createSelfConsistency({ samples: 2 })));
    runtime.step();
    const usage = { computedTokens: 1, cachedTokens: 2, generatedTokens: 1 };
    const asked = engine.requests.slice(0, 2);
    for (const one of asked) {
      engine.post({ type: 'step', request: one.id, step: engine.step(one), usage });
      toys.clock.moveTo(toys.clock.nowMs() + 3);
    }
    expect(runtime.ours).toEqual({ answers: 0, ms: 0 });
    runtime.step();
    expect(runtime.ours).toEqual({ answers: 2, ms: 6 + 3 });
  });

  it('reads its rules when an expansion is complete: an answer accepted in the first rollout is one rollout', () => {
    const { toys, runtime, results, log } = world();
    const { rules } = createPolicy('positive');
    for (let seed = 0; seed < 20; seed += 1) {
      runtime.submit(request(`${seed}`, createMcts(), { rules, seed, limits: { threshold: 0.3, rollouts: 16 } }));
    }
    toys.run(runtime);
    const accepted = results.filter(({ exit }) => exit.kind === 'accepted');
    expect(accepted.length).toBeGreaterThan(10);
    for (const { id, rollouts, exit } of accepted) {
      expect(rollouts).toBeGreaterThanOrEqual(1);
      expect(exit.evidence.rollouts).toBe(rollouts);
      const events = log.filter(({ search }) => search === id).map(({ event }) => event);
      const asked = events.reduce((sum, event) => sum + (event.type === 'asked' ? event.indices.length : 0), 0);
      expect(events.filter(isFold)).toHaveLength(asked);
    }
  });

  it.each([
    ['depth', { maxDepth: 1 }],
    ['token limit', { maxPathTokens: 1 }],
  ] as const)('neither accepts a path that is cut at the %s nor calls it complete', (_, limit) => {
    const { toys, engine, runtime, results } = world();
    const { rules } = createPolicy('positive');
    runtime.submit(request('a', createMcts(limit), { rules, limits: { threshold: 0, rollouts: 16 } }));
    toys.run(runtime);
    expect(results[0]).toMatchObject({ exit: { kind: 'exhausted' }, answer: { complete: false, answer: undefined } });
    const most = 'maxPathTokens' in limit ? limit.maxPathTokens : 64;
    expect(engine.requests.map(({ maxTokens }) => maxTokens)).toEqual([most, most, most, most]);
  });

  it('answers at its exit with what was streamed, and says what it cost when the engine has said so', () => {
    const { toys, engine, runtime, results, log } = world();
    runtime.submit(request('a', createGreedy()));
    runtime.step();
    const [asked] = engine.requests;
    engine.post({ type: 'token', request: asked!.id, text: 't', tokens: 1 });
    engine.post({ type: 'token', request: asked!.id, text: 'o', tokens: 2 });
    runtime.cancel('a');
    runtime.step();
    expect(results[0]!.cost).toMatchObject({ discardedTokens: 2, engineCalls: 0 });
    expect(log.at(-1)!.event.type).toBe('exited');
    toys.run(runtime);
    const { tokens } = engine.step(asked!);
    expect(tokens).not.toBe(2);
    expect(log.at(-1)!.event).toMatchObject({ type: 'cost', cost: { discardedTokens: tokens, engineCalls: 1 } });
  });

  it('counts tokens as they come, and what a former process generated', () => {
    const { engine, runtime } = world();
    const fold = new SearchFold();
    runtime.submit(request('a', createGreedy()), fold);
    runtime.step();
    const [asked] = engine.requests;
    engine.post({ type: 'token', request: asked!.id, text: 't', tokens: 1 });
    engine.post({ type: 'token', request: asked!.id, text: '', tokens: 70 });
    runtime.step();
    expect([fold.tokens, fold.generatedTokens]).toEqual([0, 70]);
    const ledger = new Ledger();
    ledger.resumed(30);
    ledger.streamed(5);
    expect(ledger.generatedTokens).toBe(35);
  });

  it('tells the children of an expansion in the order of their index, not of their arrival', () => {
    const { toys, runtime, log } = world();
    for (const program of [createMcts(), createBeam({ beams: 3, candidates: 4 })]) {
      runtime.submit(request(program.name, program));
    }
    toys.run(runtime);
    const last = new Map<string, number>();
    for (const { search, event } of log) {
      if (!isFold(event)) continue;
      const node = `${search} ${event.parent}`;
      expect(event.index).toBe((last.get(node) ?? -1) + 1);
      last.set(node, event.index);
    }
    expect(last.size).toBeGreaterThan(20);
  });

  it.each([
    ['mcts', createMcts()],
    ['beam', createBeam({ beams: 3, candidates: 4 })],
    ['best-of-n', createBestOfN({ samples: 5 })],
    ['self-consistency', createSelfConsistency({ samples: 5 })],
    ['greedy', createGreedy()],
  ] as const)('gives the same tree again from the log of %s', (_, program) => {
    const { toys, runtime, log, results } = world();
    runtime.submit(request('a', program));
    runtime.step();
    const live = runtime.running.get('a')?.tree;
    toys.run(runtime);
    expect(results).toHaveLength(1);
    const replayed = Tree.replay(log.map(({ event }) => event).filter(isTreeEvent));
    expect(digestTree(replayed)).toEqual(digestTree(live!));
  });

  it('keeps the answers of serial MCTS with speculation bit for bit, and calls no child twice', () => {
    const plain = world();
    plain.runtime.submit(request('a', createMcts()));
    plain.toys.run(plain.runtime);
    const ahead = world({ speculative: 3 });
    ahead.runtime.submit(request('a', createMcts()));
    ahead.toys.run(ahead.runtime);
    expect(ahead.results[0]?.answer).toEqual({
      ...plain.results[0]!.answer!,
      node: ahead.results[0]!.answer!.node,
    });
    expect(ahead.results[0]?.cost.committedTokens).toBe(plain.results[0]?.cost.committedTokens);
    expect(ahead.results[0]?.endedMs).toBeLessThan(plain.results[0]!.endedMs);
    const speculative = ahead.engine.requests.filter(({ lane }) => lane === 'speculative').map(({ id }) => id);
    const adopted = [...ahead.engine.updated];
    expect(adopted.length).toBeGreaterThan(0);
    for (const [id, urgency] of adopted) {
      expect(speculative).toContain(id);
      expect(urgency).toEqual({ lane: 'primary', priority: 0 });
    }
    const seeds = ahead.engine.requests.map(({ seed }) => seed);
    expect(new Set(seeds).size).toBe(seeds.length);
    expect(ahead.runtime.leasesTaken).toBe(0);
  });

  it('scores speculative steps only when the verifier has nothing to do, and no more than fill a pass', () => {
    const { toys, verifier, runtime } = world({ speculative: 3 });
    const sent: { lane: string; before: number; open: number }[] = [];
    const score = verifier.score.bind(verifier);
    verifier.score = (requests) => {
      let before = 0;
      for (const { lane, step } of requests) {
        sent.push({ lane, before, open: verifier.open.size });
        before += step.tokens;
      }
      score(requests);
    };
    runtime.submit(request('a', createMcts()));
    runtime.submit(request('b', createMcts()));
    toys.run(runtime);
    const spare = sent.filter(({ lane }) => lane === 'speculative');
    expect(spare.length).toBeGreaterThan(20);
    expect(spare.filter(({ before, open }) => before >= 300 || open > 0)).toEqual([]);
    expect(spare.some(({ before }) => before > 0)).toBe(true);
    expect(runtime.inFlight).toBe(0);
  });

  it('refuses what no search can mean, and leaves the others alone', () => {
    const { toys, runtime, results } = world();
    runtime.submit(request('good', createMcts({ rollouts: 2 })));
    const bad: [Partial<SearchRequest>, RegExp][] = [
      [{ id: 'good' }, /in use/],
      [{ limits: { threshold: 2, rollouts: 1 } }, /threshold is 2/],
      [{ limits: { threshold: Number.NaN, rollouts: 1 } }, /threshold is NaN/],
      [{ limits: { threshold: 0.5, rollouts: -1 } }, /rollouts is -1/],
      [{ stepTokens: 0 }, /stepTokens is 0/],
      [{ delimiters: [''] }, /empty string/],
    ];
    for (const [over, message] of bad) {
      expect(() => runtime.submit({ ...request('bad', createMcts()), ...over })).toThrow(message);
    }
    toys.run(runtime);
    expect(results.map(({ id }) => id)).toEqual(['good']);
  });

  it('cancels down to the engine', () => {
    const { toys, runtime, results, engine } = world();
    runtime.submit(request('a', createMcts()));
    runtime.step();
    runtime.cancel('a');
    runtime.step();
    expect(results[0]?.exit.kind).toBe('cancelled');
    expect(engine.cancelled).toEqual(engine.requests.map(({ id }) => id));
    toys.run(runtime);
    expect(runtime.inFlight).toBe(0);
  });

  it('turns a broken reward or step into a failed child of that search alone', () => {
    const { toys, runtime, results, verifier, engine } = world();
    const score = verifier.score.bind(verifier);
    verifier.score = (requests) => {
      for (const each of requests) {
        if (each.search === 'nan') {
          verifier.post({
            type: 'score',
            request: each.id,
            reward: Number.NaN,
            usage: { computedTokens: 0, cachedTokens: 0 },
          });
        } else score([each]);
      }
    };
    const step = engine.step.bind(engine);
    engine.step = (each) => (each.search === 'long' ? { ...step(each), tokens: 100_000 } : step(each));
    for (const id of ['nan', 'long', 'good']) runtime.submit(request(id, createMcts({ rollouts: 2 })));
    toys.run(runtime);
    const exits = Object.fromEntries(results.map(({ id, exit }) => [id, exit.kind]));
    expect(exits).toEqual({ nan: 'failed', long: 'failed', good: 'exhausted' });
  });
});

function resume(runtime: Runtime, asked: SearchRequest, events: readonly TreeEvent[]): void {
  const fold = new SearchFold();
  runtime.revive(asked, fold);
  for (const [sequence, event] of events.entries()) fold.apply({ search: asked.id, sequence, atMs: 0, event });
  runtime.restore(asked.id);
}

describe('the fold of a search', () => {
  /** What readers of a fold see, the tree included. */
  function seen(fold: SearchFold) {
    const { count, sequence, width, exit, answer, cost, tree } = fold;
    const settled = tree?.nodes.filter((node) => fold.isSettled(node)).map(({ id }) => id);
    return { count, sequence, width, exit, answer, cost, settled, tree: tree && digestTree(tree) };
  }

  it('is after every step what its log folds to, and its tree is the one that grows', () => {
    const kept = new SearchFold();
    const folded = new SearchFold();
    const { toys, runtime, log } = world({ speculative: 2 });
    const differs = () => {
      for (const entry of log.slice(folded.count)) folded.apply(entry);
      expect(seen(kept)).toEqual(seen(folded));
      return false;
    };
    runtime.submit(request('a', createMcts({ rollouts: 6 })), kept);
    toys.run(runtime, 10_000, differs);
    differs();
    expect([kept.exit?.kind, kept.tree === folded.tree]).toEqual(['exhausted', false]);
  });

  it('goes on from a log, and begins with a bare tree where the log was cut off before its first', () => {
    for (const cut of [0, 1, 2, 9]) {
      const whole = world();
      whole.runtime.submit(request('a', createMcts({ rollouts: 2 })));
      whole.toys.run(whole.runtime);
      const before = whole.log.slice(0, cut);
      const fold = new SearchFold();
      const again = world();
      again.runtime.revive(request('a', createMcts({ rollouts: 2 })), fold);
      for (const entry of before) fold.apply(entry);
      again.runtime.restore('a');
      again.toys.run(again.runtime);
      const folded = new SearchFold();
      for (const entry of [...before, ...again.log]) folded.apply(entry);
      expect(folded.fault).toBeUndefined();
      expect(seen(fold)).toEqual(seen(folded));
      const from = (before.at(-1)?.sequence ?? -1) + 1;
      const sequences = [...new Set(again.log.map(({ sequence }) => sequence))];
      expect(sequences).toEqual(sequences.map((_, at) => from + at));
    }
  });
});

describe('resuming', () => {
  it.each([
    ['mcts', () => createMcts({ rollouts: 4 })],
    ['chain', () => createChain({ probeEvery: 5 })],
    ['panel', () => createPanel({ models: ['small', 'big'], samples: 2, synthesizer: 'big' })],
  ] as const)('goes on with %s from any prefix of a log to the answer of the uninterrupted run', (_, create) => {
    const whole = world();
    whole.runtime.submit(request('a', create()));
    whole.toys.run(whole.runtime);
    const events = whole.log.map(({ event }) => event).filter(isTreeEvent);
    for (let cut = 1; cut < events.length; cut += 1) {
      const again = world();
      resume(again.runtime, request('a', create()), events.slice(0, cut));
      again.toys.run(again.runtime);
      expect(again.results[0]?.answer?.text).toBe(whole.results[0]?.answer?.text);
      expect(again.runtime.leasesTaken).toBe(0);
      const seeds = again.engine.requests.map(({ seed }) => seed);
      expect(new Set(seeds).size).toBe(seeds.length);
    }
  });

  it.each([
    ['mcts', () => createMcts({ rollouts: 8 })],
    ['beam', () => createBeam({ beams: 4, candidates: 4 })],
  ] as const)('completes the expansions of %s that a crash, and a smaller width after it, cut short', (_, create) => {
    const atWidth = (naturalWidth: number) => Object.assign(create(), { naturalWidth });
    const wide = world();
    wide.runtime.submit(request('a', atWidth(4)));
    wide.toys.run(wide.runtime);
    const before = wide.log.map(({ event }) => event).filter(isTreeEvent);
    let halved = 0;
    for (let cut = 1; cut < before.length; cut += 3) {
      const narrow = world();
      resume(narrow.runtime, request('a', atWidth(1)), before.slice(0, cut));
      narrow.toys.run(narrow.runtime);
      const events = [...before.slice(0, cut), ...narrow.log.map(({ event }) => event).filter(isTreeEvent)];
      const expansions = readExpansions(events);
      expect(expansions.passedOver).toBeUndefined();
      const tree = Tree.replay(events);
      const expanded = tree.nodes.filter(({ children }) => children.some((child) => child.children.length > 0));
      for (const node of expanded) expect(node.byIndex?.size).toBe(4);
      halved += expansions.halved;
    }
    expect(halved).toBeGreaterThan(5);
  });
});
