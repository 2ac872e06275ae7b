// A seeded swarm: many searches under one runtime over engines that are slow, fail, lose or double answers and die for a
// while; then calm. Everything that happens is drawn from the seed. The checkers read the log alone, never the runtime.

import { boostingRoom, preemptEagerly } from '../../lab/src/lost/algorithm-1-letter.ts';
import { hash, Random } from '../../packages/core/src/base/random.ts';
import type { LogEntry } from '../../packages/core/src/log/entry.ts';
import type { LoggedEvent } from '../../packages/core/src/log/events.ts';
import { createPolicy, createScheduler } from '../../packages/core/src/policy/create.ts';
import type { PolicyOptions } from '../../packages/core/src/policy/knobs.ts';
import { policyNames } from '../../packages/core/src/policy/policies.ts';
import type { Policy, Rules } from '../../packages/core/src/policy/policy.ts';
import { createBestFirst } from '../../packages/core/src/program/best-first/best-first.ts';
import { createBestOfN, createGreedy, createSelfConsistency } from '../../packages/core/src/program/best-of-n.ts';
import { createMcts } from '../../packages/core/src/program/mcts/mcts.ts';
import type { Program } from '../../packages/core/src/program/program.ts';
import { createPanel } from '../../packages/core/src/program/whole-answers/panel.ts';
import { Runtime } from '../../packages/core/src/runtime/runtime.ts';
import type { SearchRequest, SearchResult } from '../../packages/core/src/runtime/search/request.ts';
import type { Scheduler } from '../../packages/core/src/scheduler/scheduler.ts';
import { createBeam } from '../../packages/papers/src/levels/beam.ts';
import { createRebase } from '../../packages/papers/src/levels/rebase.ts';
import { createChain } from '../../packages/papers/src/programs/chain.ts';
import { createDvts } from '../../packages/papers/src/programs/dvts.ts';
import { createRest } from '../../packages/papers/src/programs/rest.ts';
import { createRstar } from '../../packages/papers/src/programs/rstar.ts';
import { createTot } from '../../packages/papers/src/programs/tot.ts';
import { posteriorNames } from '../../packages/papers/src/refine/posterior.ts';
import { createRefine } from '../../packages/papers/src/refine/refine.ts';
import { type Misfortune, ToyEngine, ToyVerifier, ToyWorld } from '../support/toy.ts';

export interface Storm {
  readonly seed: number;
  readonly budget: number;
  readonly submitted: readonly string[];
  readonly cancelled: readonly string[];
  /** Searches whose program expands a node once, by several steps. */
  readonly expandingOnce: readonly string[];
  readonly log: readonly LoggedEvent[];
  readonly entries: readonly LogEntry[];
  readonly results: readonly SearchResult[];
  readonly leasesLeft: number;
  readonly inFlightLeft: number;
  /** Speculative strands are no events of the tree; the runtime's own count of leases is sampled after each step. */
  readonly mostLeases: number;
}

const stormUntilMs = 3000;

export function runStorm(seed: number): Storm {
  const random = new Random('storm', seed);
  const world = new ToyWorld();
  const misfortune = drawMisfortune(random);
  const engine = new ToyEngine(world, misfortune, seed);
  const verifier = new ToyVerifier(world, misfortune, seed + 1);
  if (random.chance(0.5)) killFor(world, engine, random.integer(stormUntilMs), random.integer(1000));
  const name = random.chance(0.5) ? 'boost' : policyNames()[random.integer(policyNames().length)]!;
  // Whatever sits in the scheduler's seams, nothing may be lost.
  const room = random.chance(0.5) ? {} : { room: boostingRoom };
  const seams = random.chance(0.5) ? room : { ...room, preempt: preemptEagerly };
  const options: Partial<PolicyOptions> = { boundPrune: random.chance(0.3) ? 'best' : 'off' };
  const policy = { ...createPolicy(name, options), scheduler: createScheduler(name, options, {}, seams) };
  const budget = 1 + random.integer(24);
  const log: LoggedEvent[] = [];
  const entries: LogEntry[] = [];
  const results: SearchResult[] = [];
  let mostLeases = 0;
  const runtime = new Runtime({
    engine,
    verifier,
    scheduler: random.chance(0.3) ? speculating(policy.scheduler) : policy.scheduler,
    budget,
    clock: world.clock,
    requestTimeoutMs: 400,
    onEvent: (event) => {
      mostLeases = Math.max(mostLeases, runtime.leasesTaken);
      log.push(event);
    },
    onEntry: (entry) => entries.push(entry),
    onEnd: (result) => results.push(result),
  });
  const submitted = Array.from({ length: 1 + random.integer(20) }, (_, at) => `s${at}`);
  const cancelled = submitted.filter(() => random.chance(0.1));
  const expandingOnce: string[] = [];
  for (const id of submitted) {
    const long = random.chance(0.3);
    const rollouts = long ? 24 : 6;
    const program = drawProgram(random, rollouts);
    if (program.expandsOnce) expandingOnce.push(id);
    const deadline = random.chance(0.2) ? { deadlineMs: 50 + random.integer(3000) } : {};
    const request: SearchRequest = {
      id,
      prompt: { kind: 'text', text: id },
      program,
      rules: rulesOf(policy, program, long),
      limits: { threshold: 0.65, rollouts, ...deadline },
      seed: hash(seed, id),
      priority: random.integer(3),
      delimiters: ['\n'],
      stepTokens: 64,
      extract: (text) => text.slice(-1),
    };
    world.at(random.integer(2000), () => runtime.submit(request));
  }
  divideBudget(world, runtime, budget, seed);
  for (const id of cancelled) world.at(1000 + random.integer(2000), () => runtime.cancel(id));
  world.run(runtime, 200_000);
  const { leasesTaken: leasesLeft, inFlight: inFlightLeft } = runtime;
  return {
    seed,
    budget,
    submitted,
    cancelled,
    expandingOnce,
    log,
    entries,
    results,
    leasesLeft,
    inFlightLeft,
    mostLeases,
  };
}

/** Other processes come and go that use the same servers. */
function divideBudget(world: ToyWorld, runtime: Runtime, budget: number, seed: number): void {
  const random = new Random('parts', seed);
  if (random.chance(0.5)) return;
  for (let time = 0; time < 8; time += 1) {
    const part = 1 + random.integer(budget);
    world.at(random.integer(stormUntilMs), () => runtime.queue.allow(part));
  }
}

function drawMisfortune(random: Random): Misfortune {
  return {
    fail: random.chance(0.5) ? random.uniform() * 0.4 : 0,
    lose: random.chance(0.5) ? random.uniform() * 0.2 : 0,
    double: random.chance(0.5) ? random.uniform() * 0.5 : 0,
    delayMs: random.chance(0.5) ? 10 : 100,
    untilMs: stormUntilMs,
  };
}

/** A dead engine takes requests and answers none; what was on its way is gone too. */
function killFor(world: ToyWorld, engine: ToyEngine, fromMs: number, forMs: number): void {
  const { post } = engine;
  engine.connect = (given) => {
    engine.post = (message) => {
      const nowMs = world.clock.nowMs();
      if (nowMs < fromMs || nowMs >= fromMs + forMs) given(message);
    };
  };
  engine.post = post;
}

/**
 * The negative exits go only with programs of which leaves alone grow. A long search has budgets alone to end it: it lasts
 * until it is boosted to what nobody else needs, and whoever comes then preempts it.
 */
function rulesOf({ rules }: Policy, { expandsOnce, fullAt }: Program, long: boolean): Rules {
  if (!expandsOnce && fullAt === undefined) return createPolicy('positive').rules;
  return long ? { ...createPolicy('vanilla').rules, boost: rules.boost } : rules;
}

function drawProgram(random: Random, rollouts: number): Program {
  const programs = [
    () => createMcts({ rollouts, branching: 1 + random.integer(4) }),
    () => createMcts({ rollouts, selection: 'uct' }),
    () => createBestFirst({ rollouts, branching: 1 + random.integer(4) }),
    () => createBeam({ beams: 1 + random.integer(4), candidates: 1 + random.integer(4) }),
    () => createDvts({ subtrees: 1 + random.integer(4), candidates: 1 + random.integer(3) }),
    () => createRebase({ paths: 1 + random.integer(8), firstPaths: random.integer(3) }),
    () => createRest({ rollouts, branching: 1 + random.integer(3) }),
    () => createRstar({ rollouts }),
    () => createTot({ breadth: 1 + random.integer(3), generator: random.chance(0.5) ? 'propose' : 'sample' }),
    () => createBestOfN({ samples: 1 + random.integer(6) }),
    () => createSelfConsistency({ samples: 1 + random.integer(6), window: random.integer(4) }),
    () => createGreedy(),
    () => createPanel({ samples: 1 + random.integer(6) }),
    () => createChain({ probeEvery: 1 + random.integer(20), probeAgree: 2 }),
    () => createRefine({ rollouts, posterior: posteriorNames[random.integer(posteriorNames.length)]! }),
  ];
  return programs[random.integer(programs.length)]!();
}

/** Gives the strands that a decision leaves idle to speculation, one each. */
function speculating(scheduler: Scheduler): Scheduler {
  return {
    name: `${scheduler.name}+speculation`,
    decide(snapshot) {
      const decision = scheduler.decide(snapshot);
      const open = new Map(snapshot.running.map((search) => [search.id, search.openStrands]));
      let idle = snapshot.budget;
      for (const [id, { primary }] of decision.widths) {
        idle -= Math.max(primary, (open.get(id) ?? 0) - (decision.preempt.get(id) ?? 0));
      }
      const widths = new Map(decision.widths);
      for (const [id, width] of decision.widths) {
        if (idle <= 0) break;
        widths.set(id, { ...width, speculative: 1 });
        idle -= 1;
      }
      return { ...decision, widths };
    },
  };
}
