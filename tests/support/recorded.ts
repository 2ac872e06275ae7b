// Logs of whole searches for the tests of the page: made by the real runtime in the toy world, and equal for equal seeds.

import type { LoggedEvent } from '../../packages/core/src/log/events.ts';
import { createPolicy } from '../../packages/core/src/policy/create.ts';
import { createMcts } from '../../packages/core/src/program/mcts/mcts.ts';
import { Runtime } from '../../packages/core/src/runtime/runtime.ts';
import { simpleScheduler } from './simple-scheduler.ts';
import { ToyEngine, ToyVerifier, ToyWorld } from './toy.ts';

export interface RecordingOptions {
  readonly id: string;
  readonly seed: number;
  readonly rollouts: number;
  readonly branching?: number;
  readonly threshold?: number;
  readonly speculative?: number;
  /** Chance that a step ends the answer: small values give deep trees. */
  readonly ends?: number;
}

export function recordSearch(options: RecordingOptions): LoggedEvent[] {
  const { id, seed, rollouts, branching = 4, threshold = 0.9, speculative = 2, ends = 0.3 } = options;
  const world = new ToyWorld();
  const question = { ends, shape: 9 };
  const delays = { fail: 0, lose: 0, double: 0, delayMs: 40, untilMs: 0 };
  const log: LoggedEvent[] = [];
  const runtime = new Runtime({
    engine: new ToyEngine(world, delays, seed, question),
    verifier: new ToyVerifier(world, { ...delays, delayMs: 8 }, seed, question),
    scheduler: simpleScheduler(speculative),
    budget: 32,
    clock: world.clock,
    onEvent: (event) => log.push(event),
  });
  runtime.submit({
    id,
    prompt: { kind: 'text', text: id },
    program: createMcts({ rollouts, branching }),
    rules: createPolicy('positive').rules,
    limits: { threshold, rollouts },
    seed,
    priority: 0,
    delimiters: ['\n'],
    stepTokens: 64,
    extract: (text) => text.slice(-4),
  });
  world.run(runtime);
  return log;
}
