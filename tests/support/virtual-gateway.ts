// The gateway's searches on simulated GPUs in virtual time, without HTTP: the same engine, questions and arrivals as in a
// trial of `npm run lab -- sim`, so that both can be compared, and hours of overload pass in seconds.

import { type SettingName, searchDefaults } from '../../lab/src/service/profiles.ts';
import { costOf, hardware, kvTokensOf, settingOf } from '../../lab/src/sim/settings.ts';
import type { SearchPlan } from '../../packages/core/src/answering/plan/search-plan.ts';
import { hash, Random } from '../../packages/core/src/base/random.ts';
import { checkConfig } from '../../packages/core/src/config/load.ts';
import type { Journal } from '../../packages/core/src/journal/journal.ts';
import { SqliteJournal } from '../../packages/core/src/journal/sqlite/sqlite-journal.ts';
import { optionsOf } from '../../packages/core/src/policy/create.ts';
import type { PolicyName } from '../../packages/core/src/policy/policies.ts';
import { mctsDefaults } from '../../packages/core/src/program/mcts/mcts.ts';
import type { Runtime } from '../../packages/core/src/runtime/runtime.ts';
import { ApiError } from '../../packages/gateway/src/http/api-error.ts';
import type { Caller } from '../../packages/gateway/src/http/keys.ts';
import type { Loop } from '../../packages/gateway/src/models/served-model.ts';
import { silentLog } from '../../packages/gateway/src/observe/log.ts';
import { Searches } from '../../packages/gateway/src/searches/searches.ts';
import { QuestionModel } from '../../packages/sim/src/engine/questions/question-model.ts';
import { extractAnswer } from '../../packages/sim/src/engine/questions/question-text.ts';
import { SimEngine } from '../../packages/sim/src/engine/sim-engine.ts';
import { World } from '../../packages/sim/src/engine/world.ts';
import { SimVerifier } from '../../packages/sim/src/verifier/sim-verifier.ts';

export interface VirtualRun {
  readonly setting: SettingName;
  readonly policy: PolicyName;
  readonly budget: number;
  readonly requests: number;
  readonly perSecond: number;
  readonly deadlineMs: number;
  readonly seed: number;
  readonly rollouts?: number;
  readonly queue?: number;
  /** Searches of the idle class at the start; the run also waits for their end. */
  readonly idle?: number;
  readonly onIdleEnd?: (endedMs: number, tokens: number) => void;
}

export interface VirtualAnswer {
  readonly arrivalMs: number;
  admittedMs: number | undefined;
  endedMs: number;
  /** `complete`, `incomplete`, or the error code that its client got. */
  told: string;
  completionTokens: number;
}

const caller: Caller = { name: 'local', share: 1, maxPriority: 100, queue: 1e9, admin: true };

export class VirtualLoop implements Loop {
  #runtime: Runtime | undefined;
  #woken = false;
  #wakeMs = Number.POSITIVE_INFINITY;

  readonly wake = (): void => {
    this.#woken = true;
  };

  drive(runtime: Runtime): void {
    this.#runtime = runtime;
  }

  stop(): void {}

  react(world: World): void {
    const runtime = this.#runtime!;
    do {
      this.#woken = false;
      runtime.step();
    } while (this.#woken);
    const wakeMs = runtime.nextWakeMs();
    if (wakeMs === undefined || wakeMs >= this.#wakeMs) return;
    this.#wakeMs = wakeMs;
    world.at(Math.max(wakeMs, world.nowMs), () => {
      this.#wakeMs = Number.POSITIVE_INFINITY;
    });
  }
}

/** Runs until every search has ended; one result per request, in order of arrival. */
export async function runVirtually(run: VirtualRun): Promise<VirtualAnswer[]> {
  const world = new World();
  const loop = new VirtualLoop();
  const journal = new SqliteJournal({ path: ':memory:' });
  const searches = openSearches(run, world, loop, journal);
  const answers: VirtualAnswer[] = [];
  for (let at = 0; at < (run.idle ?? 0); at += 1) {
    const answer = { arrivalMs: 0, admittedMs: undefined, endedMs: 0, told: '', completionTokens: 0 };
    const plan = planOf({ ...run, deadlineMs: 1e12 }, run.requests + at);
    ask(searches, { ...plan, idle: true }, answer, () => run.onIdleEnd?.(answer.endedMs, answer.completionTokens));
  }
  let atMs = 0;
  for (let at = 0; at < run.requests; at += 1) {
    atMs += (new Random(run.setting, run.seed, 'gap', at).exponential(1) * 1000) / run.perSecond;
    const arrivalMs = atMs;
    world.at(arrivalMs, () => {
      const answer: VirtualAnswer = {
        arrivalMs,
        admittedMs: undefined,
        endedMs: arrivalMs,
        told: '',
        completionTokens: 0,
      };
      answers.push(answer);
      ask(searches, planOf(run, at), answer);
    });
  }
  world.run(() => loop.react(world));
  // Clients hear of an end once the journal, which is not in virtual time, has stored it; refusals are rejected promises.
  await journal.close();
  await new Promise<void>((resolve) => setImmediate(resolve));
  return answers;
}

function ask(searches: Searches, plan: SearchPlan, answer: VirtualAnswer, onEnd = () => {}): void {
  // An accepted search is live before the call returns.
  const before = [...searches.live].length;
  const started = searches.start(plan, caller, { background: false, body: {} });
  started.catch((error: unknown) => {
    answer.told = error instanceof ApiError ? error.code : String(error);
  });
  if ([...searches.live].length === before) return onEnd();
  const search = [...searches.live].at(-1)!;
  search.listeners.add({
    event: ({ event, atMs }) => {
      if (event.type === 'admitted') answer.admittedMs = atMs;
    },
    ended: ({ endedMs, result, error }) => {
      answer.endedMs = endedMs;
      answer.completionTokens = result?.outcome.usage.completion_tokens ?? 0;
      answer.told = error?.code ?? (result?.outcome.complete === true ? 'complete' : 'incomplete');
      onEnd();
    },
  });
}

function openSearches(run: VirtualRun, world: World, loop: Loop, journal: Journal): Searches {
  const { setting: name, budget, policy, queue = 1000 } = run;
  const setting = settingOf(name);
  const model = new QuestionModel(setting.profile);
  const { replicas, sequenceLimit } = hardware;
  const { generator, rewardModel } = setting;
  const engine = new SimEngine(world, model, {
    replicas,
    sequenceLimit,
    prefillTokens: 8192,
    cost: costOf(generator, undefined),
    kvTokens: kvTokensOf(generator),
  });
  const verifier = new SimVerifier(world, model, {
    replicas,
    passTokens: 4096,
    reusesPrefix: true,
    cost: costOf(rewardModel, undefined),
    kvTokens: kvTokensOf(rewardModel),
  });
  const models = [{ name: 'm', engine: { kind: 'sim' }, verifier: { kind: 'sim' }, budget, policy }];
  const config = checkConfig({ models, admission: { queue } });
  return new Searches({
    config,
    models: [{ config: config.models[0]!, engine, verifier, extract: extractAnswer }],
    journal,
    clock: world.clock,
    log: silentLog,
    loop: () => loop,
  });
}

/** The question of a trial of `npm run lab -- sim` at this place, with the same seed and limits. */
function planOf({ setting, seed, policy, deadlineMs, ...given }: VirtualRun, at: number): SearchPlan {
  const text = `${setting} seed ${seed} question ${at}`;
  const { threshold, branching, stepTokens } = searchDefaults;
  const { rollouts = searchDefaults.rollouts } = given;
  const { maxDepth, sampling, choose } = mctsDefaults;
  return {
    model: 'm',
    prompt: { kind: 'text', text },
    mode: 'search',
    program: 'mcts',
    programOptions: {},
    policy,
    policyOptions: optionsOf(policy, {}),
    scoring: 'verifier',
    rollouts,
    threshold,
    branching,
    choose,
    maxDepth,
    tokenBudget: 1e9,
    nodes: 1e9,
    deadlineMs,
    priority: 0,
    seed: hash(text),
    repeatable: true,
    sampling,
    aggregation: 'product',
    delimiters: ['\n\n'],
    stepTokens,
    onUnaccepted: 'best',
    reasoning: 'separate',
    title: text,
  };
}
