import { describe, expect, it } from 'vitest';
import { type Sabotage, sabotaged } from '../../../../../tests/support/hostile.ts';
import { simpleScheduler } from '../../../../../tests/support/simple-scheduler.ts';
import { ToyEmbedder, ToyEngine, ToyVerifier, ToyWorld } from '../../../../../tests/support/toy.ts';
import type { Fault } from '../../base/fault.ts';
import type { LoggedEvent } from '../../log/events.ts';
import { createPolicy } from '../../policy/create.ts';
import { createBestOfN } from '../../program/best-of-n.ts';
import { createMcts } from '../../program/mcts/mcts.ts';
import type { Program } from '../../program/program.ts';
import type { Decision, Scheduler } from '../../scheduler/scheduler.ts';
import type { RuntimeOptions } from '../parts/options.ts';
import { Runtime } from '../runtime.ts';
import type { SearchRequest, SearchResult } from '../search/request.ts';

function request(id: string, program: Program = createMcts({ rollouts: 4 })): SearchRequest {
  return {
    id,
    prompt: { kind: 'text', text: id },
    program,
    rules: createPolicy('vanilla').rules,
    limits: { threshold: 0.9, rollouts: 4 },
    seed: 7,
    priority: 0,
    delimiters: ['\n'],
    stepTokens: 64,
    groupSimilarity: 0.9,
    extract: () => 'some open words of the model',
  };
}

function world(over: (toys: ToyWorld) => Partial<RuntimeOptions> = () => ({})) {
  const toys = new ToyWorld();
  const [engine, verifier] = [new ToyEngine(toys), new ToyVerifier(toys)];
  const log: LoggedEvent[] = [];
  const results: SearchResult[] = [];
  const faults: [string | undefined, Fault][] = [];
  const runtime = new Runtime({
    engine,
    verifier,
    scheduler: simpleScheduler(2),
    budget: 16,
    clock: toys.clock,
    onEvent: (event) => log.push(event),
    onEnd: (result) => results.push(result),
    onFault: (search, fault) => faults.push([search, fault]),
    ...over(toys),
  });
  const run = (requests = [request('a'), request('b', createBestOfN({ samples: 4 }))]) => {
    for (const each of requests) runtime.submit(each);
    toys.run(runtime, 10_000);
    return results;
  };
  const settled = () => [
    runtime.leasesTaken,
    runtime.inFlight,
    log.filter(({ event }) => event.type === 'cost').length,
  ];
  return { engine, runtime, run, settled, results, faults };
}

const always = (verb: string, how: Sabotage['how'] = 'error'): Sabotage => ({ verb, from: 1, how });

describe('an engine or a verifier that throws', () => {
  it.each(['error', 'text', 'rejection'] as const)('fails what it was asked for (%s)', async (how) => {
    for (const over of [
      (toys: ToyWorld) => ({ engine: sabotaged(new ToyEngine(toys), always('generate', how)) }),
      (toys: ToyWorld) => ({ verifier: sabotaged(new ToyVerifier(toys), always('score', how)) }),
    ]) {
      const { run, results, faults, settled } = world(over);
      run();
      for (let turn = 0; turn < 100 && results.length < 2; turn += 1) {
        await Promise.resolve();
        run([]);
      }
      expect(results.map(({ exit }) => [exit.kind, exit.rule])).toEqual([
        ['failed', 'failures'],
        ['failed', 'failures'],
      ]);
      expect(faults[0]![1].message).toMatch(/^(engine|verifier) 'toy' threw in (generate|score): sabotage$/);
      expect(settled()).toEqual([0, 0, 2]);
    }
  });

  it('now and then costs no more than those strands', () => {
    let calls = 0;
    const { run, settled } = world((toys) => {
      const engine = new ToyEngine(toys);
      const generate = engine.generate.bind(engine);
      engine.generate = (requests) => {
        calls += 1;
        if (calls === 2) throw new Error('once');
        generate(requests);
      };
      return { engine };
    });
    expect(run().map(({ exit }) => exit.kind)).toEqual(['exhausted', 'exhausted']);
    expect(settled()).toEqual([0, 0, 2]);
  });

  it.each(['cancel', 'update', 'release', 'load'])('in %s is told once, and every search ends as it would', (verb) => {
    for (const part of ['engine', 'verifier'] as const) {
      const { run, settled, faults, runtime } = world((toys) => ({
        [part]: sabotaged(part === 'engine' ? new ToyEngine(toys) : new ToyVerifier(toys), always(verb)),
        scheduler: createPolicy('vanilla', { speculate: 4 }).scheduler,
      }));
      runtime.submit(request('c'));
      runtime.step();
      runtime.cancel('c');
      expect(run().map(({ id, exit }) => [id, exit.kind])).toEqual([
        ['c', 'cancelled'],
        ['b', 'exhausted'],
        ['a', 'exhausted'],
      ]);
      expect(settled()).toEqual([0, 0, 3]);
      expect(faults.length).toBeLessThanOrEqual(1);
      for (const [search, { message }] of faults) {
        expect([search, message]).toEqual([undefined, `${part} 'toy' threw in ${verb}: sabotage`]);
      }
    }
  });

  it('or posts what is no message, or no step, fails that request alone', () => {
    const { run, faults, settled } = world((toys) => {
      const engine = new ToyEngine(toys);
      const { connect } = engine;
      engine.connect = (post) => {
        let posts = 0;
        connect.call(engine, (message) => {
          posts += 1;
          if (posts === 1) post(undefined as never);
          post(posts % 5 === 2 ? ({ ...message, step: undefined, usage: undefined } as never) : message);
        });
      };
      return { engine };
    });
    expect(run().map(({ exit }) => exit.kind)).toEqual(['exhausted', 'exhausted']);
    expect(settled()).toEqual([0, 0, 2]);
    expect(faults[0]).toMatchObject([undefined, { message: expect.stringContaining('which is no message') }]);
    expect(faults[1]).toMatchObject([expect.any(String), { code: 'protocol' }]);
  });
});

it.each(['error', 'rejection'] as const)('an embedder that breaks leaves answers to their words (%s)', async (how) => {
  const { run, runtime, results, faults } = world((toys) => {
    const calm = { fail: 0, lose: 0, double: 0, delayMs: 1, untilMs: 0 };
    return { embedder: sabotaged(new ToyEmbedder(toys, calm, 1, () => [1]), always('embed', how)) };
  });
  run();
  for (let turn = 0; turn < 100 && results.length < 2; turn += 1) {
    await Promise.resolve();
    run([]);
  }
  expect(results.map(({ exit }) => exit.kind)).toEqual(['exhausted', 'exhausted']);
  expect(faults.map(([, { message }]) => message)).toEqual(["embedder 'toy' threw in embed: sabotage"]);
  expect(runtime.inFlight).toBe(0);
});

describe('a scheduler', () => {
  const wrong: Readonly<Record<string, (decision: Decision) => unknown>> = {
    'that throws': () => {
      throw new Error('sabotage');
    },
    'that gives nothing': () => undefined,
    'that forgets a search': (decision) => ({ ...decision, widths: new Map() }),
    'that gives out more than there is': ({ widths, ...rest }) => ({
      ...rest,
      widths: new Map([...widths.keys()].map((id) => [id, { primary: 99, speculative: 0 }])),
    }),
    'that preempts what does not run': (decision) => ({ ...decision, preempt: new Map([['who', 1]]) }),
    'that admits what does not wait': (decision) => ({ ...decision, admit: ['who'] }),
  };

  it.each(Object.keys(wrong))('%s is replaced by the plainest one: every search goes on, new ones come in', (name) => {
    for (const from of [1, 3]) {
      let calls = 0;
      const own = simpleScheduler(1);
      const scheduler: Scheduler = {
        ...own,
        decide: (snapshot) => {
          calls += 1;
          return (calls < from ? own.decide(snapshot) : wrong[name]!(own.decide(snapshot))) as Decision;
        },
      };
      const { run, settled, faults, runtime } = world(() => ({ scheduler, budget: 5 }));
      expect(run().map(({ exit }) => exit.kind)).toEqual(['exhausted', 'exhausted']);
      expect(faults).toMatchObject([
        [undefined, { message: expect.stringContaining("scheduler 'simple' threw in decide") }],
      ]);
      runtime.submit(request('later'));
      expect(run([]).at(-1)).toMatchObject({ id: 'later', exit: { kind: 'exhausted' } });
      expect(settled()).toEqual([0, 0, 3]);
    }
  });
});

it('a program that opens more strands than it may takes none from others', () => {
  const greedy = createMcts({ rollouts: 4 });
  const ask = greedy.ask.bind(greedy);
  const program: Program = Object.assign(greedy, { ask: (tree: Parameters<Program['ask']>[0]) => ask(tree, true) });
  const { run, settled } = world(() => ({ budget: 8 }));
  expect(run([request('greedy', program), request('a')]).map(({ id, exit }) => [id, exit.kind])).toEqual([
    ['greedy', 'failed'],
    ['a', 'exhausted'],
  ]);
  expect(settled()).toEqual([0, 0, 2]);
});

it('listeners that throw after the end are told of, and where nothing listens to faults their throw goes on', () => {
  const throwing = () => {
    throw new Error('deaf');
  };
  for (const verb of ['onEnd', 'onCost'] as const) {
    const told = world(() => ({ [verb]: throwing }));
    told.run();
    expect(told.faults.map(([search, { message }]) => [search, message])).toEqual(
      ['b', 'a'].map((id) => [id, `listener 'throwing' threw in ${verb}: deaf`]),
    );
    expect(() => world(() => ({ [verb]: throwing, onFault: undefined as never })).run()).toThrow('deaf');
  }
  expect(world(() => ({ onFault: throwing, onEnd: throwing })).run).not.toThrow();
});
