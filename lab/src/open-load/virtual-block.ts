// Repeats a block of questions in virtual time (`runBlock` runs it on a real engine): the simulator with the times that engine and
// verifier measured of themselves, and with their recorded steps and rewards.

import type { GoldQuestion } from '@coppice/core/answering';
import type { CostModel } from '@coppice/core/cost';
import { llamaDefaults } from '@coppice/llama/engine';
import { SimEngine, World } from '@coppice/sim/engine';
import { SimVerifier } from '@coppice/sim/verifier';
import { Runtime } from 'coppice';
import { contestRequest, schedulerOf, trialOf } from 'coppice/bench';
import type { BenchContender, BenchContest, BenchTrial } from '../contest-shapes.ts';
import type { Recording } from './recording.ts';

export interface BlockCosts {
  readonly engine: CostModel;
  readonly verifier: CostModel;
}

/** `arrivalsMs` as for `runBlock`. */
export function virtualBlock(
  contest: BenchContest,
  recording: Recording,
  costs: BlockCosts,
  contender: BenchContender,
  questions: readonly GoldQuestion[],
  arrivalsMs?: readonly number[],
): BenchTrial[] {
  const world = new World();
  const { settings } = contest;
  const waiting = [...questions].reverse();
  const live = new Map<string, Parameters<typeof contestRequest>[1]>();
  const trials: BenchTrial[] = [];
  let woken = false;
  const submitNext = (): void => {
    const question = waiting.pop();
    if (question === undefined) return;
    const job = { contender, question };
    const request = contestRequest(contest, job);
    live.set(request.id, job);
    runtime.submit(request);
  };
  const runtime: Runtime = new Runtime({
    ...serversIn(world, recording, costs),
    scheduler: schedulerOf(contest, contender),
    budget: settings.budget,
    clock: world.clock,
    onEnd: (result) => {
      trials.push(trialOf(contest, live.get(result.id)!, result));
      if (arrivalsMs === undefined) world.at(world.nowMs, submitNext);
    },
    wake: () => {
      woken = true;
    },
  });
  for (const atMs of arrivalsMs ?? new Array<number>(settings.concurrency).fill(0)) world.at(atMs, submitNext);
  const react = (): void => {
    do {
      woken = false;
      runtime.step();
    } while (woken);
  };
  world.run(react, { stop: () => trials.length === questions.length });
  return trials;
}

function serversIn(world: World, recording: Recording, costs: BlockCosts) {
  const { kvTokens, sequences, rowLimit } = llamaDefaults;
  const engine = new SimEngine(world, recording, {
    cost: costs.engine,
    replicas: 1,
    sequenceLimit: sequences,
    kvTokens,
    prefillTokens: rowLimit,
  });
  const verifier = new SimVerifier(world, recording, {
    cost: costs.verifier,
    replicas: 1,
    passTokens: rowLimit,
    kvTokens,
    reusesPrefix: true,
  });
  return { engine, verifier };
}
