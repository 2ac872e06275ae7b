// A search one of whose parts breaks ends as `failed` and says which part, in which verb; every other search ends exactly as it would
// without it; nothing stays in flight and every lease comes back. Whichever verb it is, whenever it breaks, whatever it throws.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { preemptEagerly } from '../../lab/src/lost/algorithm-1-letter.ts';
import type { Fault } from '../../packages/core/src/base/fault.ts';
import { concluded } from '../../packages/core/src/exit/concluded.ts';
import type { ExitRule } from '../../packages/core/src/exit/exit.ts';
import { pruneBound } from '../../packages/core/src/exit/prune-bound.ts';
import { isTreeEvent, type LoggedEvent } from '../../packages/core/src/log/events.ts';
import { createScheduler } from '../../packages/core/src/policy/create.ts';
import { createBestFirst } from '../../packages/core/src/program/best-first/best-first.ts';
import { createBestOfN, createSelfConsistency } from '../../packages/core/src/program/best-of-n.ts';
import { createMcts } from '../../packages/core/src/program/mcts/mcts.ts';
import type { Program } from '../../packages/core/src/program/program.ts';
import { Runtime } from '../../packages/core/src/runtime/runtime.ts';
import type { SearchRequest, SearchResult } from '../../packages/core/src/runtime/search/request.ts';
import type { Scheduler } from '../../packages/core/src/scheduler/scheduler.ts';
import { Tree } from '../../packages/core/src/tree/tree.ts';
import { createBeam } from '../../packages/papers/src/levels/beam.ts';
import { type Sabotage, sabotaged, type Throwable, throwables } from '../support/hostile.ts';
import { simpleScheduler } from '../support/simple-scheduler.ts';
import { ToyEngine, ToyVerifier, ToyWorld } from '../support/toy.ts';
import '../support/property-seed.ts';

const programs: Readonly<Record<string, () => Program>> = {
  mcts: () => createMcts({ rollouts: 6 }),
  'best-first': () => createBestFirst({ rollouts: 6 }),
  beam: () => createBeam({ beams: 3, candidates: 3 }),
  bestOfN: () => createBestOfN({ samples: 4 }),
  selfConsistency: () => createSelfConsistency({ samples: 4 }),
};

const certainly: ExitRule = {
  name: 'reads-belief',
  check: ({ belief }) => {
    belief.votes();
    belief.certainty();
    return undefined;
  },
};

const rules = { exits: [certainly, concluded], prunes: [pruneBound('best')], boost: true, speculate: 2 };

function request(id: string, program: Program): SearchRequest {
  return {
    id,
    prompt: { kind: 'text', text: id },
    program,
    rules,
    limits: { threshold: 0.65, rollouts: 6 },
    seed: 7,
    priority: 0,
    delimiters: ['\n'],
    stepTokens: 64,
    extract: (text) => text.slice(-3),
  };
}

const verbsOf = {
  program: ['demand', 'ask', 'tell', 'foresee', 'level', 'belief', 'answer'],
  exit: ['check'],
  prune: ['judge', 'judge/'],
  extractor: ['extract'],
  listener: ['onEvent'],
} as const;
type Target = keyof typeof verbsOf;

/** The request with one part sabotaged; a listener is the runtime's. */
function hostile(plain: SearchRequest, target: Target, sabotage: Sabotage): SearchRequest {
  switch (target) {
    case 'program':
      return { ...plain, program: sabotaged(plain.program, sabotage) };
    case 'exit':
      return { ...plain, rules: { ...rules, exits: [sabotaged(certainly, sabotage), concluded] } };
    case 'prune':
      return { ...plain, rules: { ...rules, prunes: [sabotaged(pruneBound('best'), sabotage)] } };
    case 'extractor':
      return { ...plain, extract: sabotaged({ extract: plain.extract }, sabotage).extract };
    case 'listener':
      return plain;
  }
}

interface Company {
  readonly others: readonly string[];
  readonly scheduler: Scheduler;
  readonly budget: number;
}

function runTogether({ others, scheduler, budget }: Company, target?: Target, plan?: Sabotage, own = 'mcts') {
  const world = new ToyWorld();
  const engine = new ToyEngine(world);
  const log: LoggedEvent[] = [];
  const results = new Map<string, SearchResult>();
  const faults: [string | undefined, Fault][] = [];
  const listener = { onEvent: (_: LoggedEvent) => {} };
  const heard = target === 'listener' && plan !== undefined ? sabotaged(listener, plan) : listener;
  const runtime = new Runtime({
    engine,
    verifier: new ToyVerifier(world),
    scheduler,
    budget,
    clock: world.clock,
    requestTimeoutMs: 100_000,
    onEvent: (event) => {
      log.push(event);
      if (event.search === 'hostile') heard.onEvent(event);
    },
    onEnd: (result) => results.set(result.id, result),
    onFault: (search, fault) => faults.push([search, fault]),
  });
  if (target !== undefined && plan !== undefined) {
    runtime.submit(hostile(request('hostile', programs[own]!()), target, plan));
  }
  others.forEach((name, at) => {
    // What a bound prunes depends on which strand was faster, and so on the load.
    const other = { ...request(`${at}`, programs[name]!()), rules: { ...rules, prunes: [] } };
    world.at(15 * at, () => runtime.submit(other));
  });
  world.run(runtime, 100_000);
  return { runtime, engine, log, results, faults };
}

const targets = Object.keys(verbsOf) as Target[];
const places = targets.flatMap((target) => verbsOf[target].map((verb): [Target, string] => [target, verb]));
const hows = fc.constantFrom<Sabotage['how']>(...(Object.keys(throwables) as Throwable[]), 'garbage');
const names = fc.constantFrom(...Object.keys(programs));
const company = fc.array(names, { maxLength: 4 });

/** What garbage is no garbage for: a truthy value where any is taken, and what is not read. */
const takesAnything = new Set(['tell', 'judge/', 'foresee', 'onEvent', 'judge']);

/** Nodes are numbered as they come. */
function endOf(result: SearchResult | undefined) {
  const { exit, answer, nodes, rollouts } = result ?? {};
  return { exit, answer: answer && { ...answer, node: 0 }, nodes, rollouts };
}

describe('a hostile part', () => {
  it.each(places)('%s %s ends its own search alone, with a reason, and leaves nothing behind', (target, verb) => {
    let strikes = 0;
    const draws = fc.record({ how: hows, from: fc.integer({ min: 1, max: 6 }), own: names, others: company });
    const check = ({
      how,
      from,
      own,
      others,
    }: {
      how: Sabotage['how'];
      from: number;
      own: string;
      others: string[];
    }) => {
      const sabotage: Sabotage = { verb, from, how: how === 'garbage' && takesAnything.has(verb) ? 'error' : how };
      const scheduler = simpleScheduler(2);
      const alone = runTogether({ others, scheduler, budget: 128 });
      const { runtime, results, faults, log } = runTogether({ others, scheduler, budget: 128 }, target, sabotage, own);
      for (const at of others.keys()) expect(endOf(results.get(`${at}`))).toEqual(endOf(alone.results.get(`${at}`)));
      expect([runtime.leasesTaken, runtime.inFlight, runtime.running.size, runtime.waiting.size]).toEqual([0, 0, 0, 0]);
      const logged = log.filter(({ search }) => search === 'hostile').map(({ event }) => event);
      expect(logged.map(({ type }) => type).slice(-2)).toEqual(['exited', 'cost']);
      Tree.replay(logged.filter(isTreeEvent));
      const { exit } = results.get('hostile')!;
      expect(exit.rule === 'threw' || sabotage.struck === true).toBe(sabotage.struck === true);
      if (sabotage.struck !== true) return;
      strikes += 1;
      expect(faults.map(([search]) => search)).toEqual(['hostile']);
      // The end of its log is written when the search has ended.
      if (target === 'listener' && exit.rule !== 'threw') return;
      expect(exit).toMatchObject({ kind: 'failed', rule: 'threw', evidence: { verb: verb.split('/')[0] } });
      const { part, message } = exit.evidence;
      expect(faults[0]![1].message).toBe(`${part} threw in ${exit.evidence.verb}: ${message}`);
    };
    fc.assert(fc.property(draws, check), {
      numRuns: 8,
      examples: Object.keys(programs).map((own) => [{ how: 'error', from: 1, own, others: ['mcts', 'beam'] }]),
    });
    expect(strikes).toBeGreaterThan(0);
  });

  it('gives back what it held where the budget is short and searches are preempted', () => {
    const draws = fc.record({
      place: fc.constantFrom(...places),
      how: hows,
      from: fc.integer({ min: 1, max: 6 }),
      own: names,
      others: company,
      budget: fc.integer({ min: 2, max: 10 }),
    });
    const check = fc.property(draws, ({ place: [target, verb], how, from, own, others, budget }) => {
      const sabotage: Sabotage = { verb, from, how: how === 'garbage' ? 'error' : how };
      const scheduler = createScheduler('boost', { gate: 0, speculate: 2 }, {}, { preempt: preemptEagerly });
      const crowd = { others: [...others, 'beam', 'mcts', 'bestOfN'], scheduler, budget };
      const { runtime, results } = runTogether(crowd, target, sabotage, own);
      expect([runtime.leasesTaken, runtime.inFlight, results.size]).toEqual([0, 0, others.length + 4]);
      for (const [id, { exit }] of results) if (id !== 'hostile') expect(exit.rule).not.toBe('threw');
      if (sabotage.struck && target !== 'listener') expect(results.get('hostile')!.exit.rule).toBe('threw');
    });
    fc.assert(check, { numRuns: 40 });
  });
});
