// One simulated run: a stream of questions served under one policy, by the production runtime, on simulated GPUs. What
// a trial is, is plain data; the same data gives the same result on any machine and in any thread.

import { requestOf } from '../../answering/search-request.ts';
import { assert } from '../../base/assert.ts';
import { hash, Random } from '../../base/random.ts';
import type { QuestionProfile } from '../../engine/sim/question-model.ts';
import { SimEngine } from '../../engine/sim/sim-engine.ts';
import { World } from '../../engine/sim/world.ts';
import type { Cost, ExitKind } from '../../log/end.ts';
import type { SearchRequest, SearchResult } from '../../runtime/request.ts';
import { Runtime } from '../../runtime/runtime.ts';
import { SimVerifier } from '../../verifier/sim/sim-verifier.ts';
import { type SimulatedContender, type SimulatedSearch, searchOf } from './contenders.ts';
import { questionsOf, type SimulatedQuestions } from './questions.ts';
import {
  costOf,
  type GpuName,
  hardware,
  kvTokensOf,
  modelConfig,
  type SettingName,
  searchDefaults,
  settingOf,
} from './settings.ts';

/** How requests come: at a mean rate (Poisson), all at once, or each after the one before it has ended. */
export type Arrivals =
  | { readonly kind: 'rate'; readonly perSecond: number }
  | { readonly kind: 'backlog' }
  | { readonly kind: 'one-by-one' };

export interface TrialSpec {
  readonly setting: SettingName;
  readonly contender: SimulatedContender;
  readonly arrivals: Arrivals;
  readonly seed: number;
  readonly requests: number;
  readonly budget: number;
  readonly rollouts: number;
  readonly threshold: number;
  readonly verifierReuses: boolean;
  /** Step times from a roofline of this GPU instead of the measured tables. */
  readonly roofline?: GpuName;
  /** Turns knobs of the setting's question profile, for calibration. */
  readonly profile?: Partial<QuestionProfile>;
  /** Which questions, by number; the first `requests` unless given. */
  readonly questions?: readonly number[];
  /** A recording whose trees are drawn from instead of the setting's question profile. */
  readonly trees?: string;
}

export const trialDefaults = {
  seed: 1,
  budget: searchDefaults.budget,
  rollouts: searchDefaults.rollouts,
  threshold: searchDefaults.threshold,
  verifierReuses: true,
} as const;

/** One line per request, in order of arrival. */
export interface Served {
  readonly arrivalMs: number;
  /** Undefined where it never started. */
  readonly admittedMs: number | undefined;
  readonly endedMs: number;
  readonly tokens: number;
  readonly rollouts: number;
  readonly correct: boolean;
  readonly exit: ExitKind;
}

export interface TrialResult {
  readonly served: readonly Served[];
  /** Generated tokens per second while searches were waiting, the ramp left out; undefined where none waited. */
  readonly saturatedTokensPerSecond: number | undefined;
  readonly evictedTokens: number;
  /** Share of the time in which the GPUs of a side worked. */
  readonly engineBusy: number;
  readonly verifierBusy: number;
}

export function runTrial(spec: TrialSpec): TrialResult {
  return new TrialRun(spec).run();
}

class TrialRun {
  readonly #spec: TrialSpec;
  readonly #world = new World();
  readonly #model: SimulatedQuestions;
  readonly #engine: SimEngine;
  readonly #verifier: SimVerifier;
  readonly #runtime: Runtime;
  readonly #search: SimulatedSearch;
  readonly #questions: readonly number[];
  readonly #served: (Served | undefined)[];
  /** Generated tokens by the time of each end, to find the rate while others waited. */
  readonly #ends: { readonly atMs: number; readonly tokens: number; readonly waiting: number }[] = [];
  #next = 0;
  #left: number;
  #unsettled: number;
  #woken = false;
  #wakeMs = Number.POSITIVE_INFINITY;

  constructor(spec: TrialSpec) {
    this.#spec = spec;
    const setting = settingOf(spec.setting);
    this.#model = questionsOf(spec);
    const { generator, rewardModel } = setting;
    const { replicas, sequenceLimit } = hardware;
    this.#engine = new SimEngine(this.#world, this.#model, {
      ...{ replicas, sequenceLimit, prefillTokens: 8192 },
      cost: costOf(generator, spec.roofline),
      kvTokens: kvTokensOf(generator),
    });
    this.#verifier = new SimVerifier(this.#world, this.#model, {
      ...{ replicas, passTokens: 4096, reusesPrefix: spec.verifierReuses },
      cost: costOf(rewardModel, spec.roofline),
      kvTokens: kvTokensOf(rewardModel),
    });
    const model = { config: modelConfig, engine: this.#engine, verifier: this.#verifier };
    this.#search = searchOf(spec.contender, model, { rollouts: spec.rollouts, threshold: spec.threshold });
    this.#questions = spec.questions ?? Array.from({ length: spec.requests }, (_, at) => at);
    this.#left = this.#questions.length;
    this.#unsettled = this.#left;
    this.#served = new Array<Served | undefined>(this.#left).fill(undefined);
    this.#runtime = new Runtime({
      ...{ engine: this.#engine, verifier: this.#verifier, scheduler: this.#search.scheduler, budget: spec.budget },
      clock: this.#world.clock,
      onEnd: (result) => this.#end(result),
      onCost: (id, cost) => this.#settle(Number(id), cost),
      wake: () => {
        this.#woken = true;
      },
    });
  }

  run(): TrialResult {
    this.#schedule();
    this.#world.run(() => this.#react(), { stop: () => this.#unsettled === 0 });
    assert(this.#left === 0 && this.#unsettled === 0, `${this.#left} searches never ended`);
    const { busyMs, evictedTokens } = this.#engine.totals();
    const gpuMs = hardware.replicas * this.#world.nowMs;
    return {
      served: this.#served as Served[],
      saturatedTokensPerSecond: this.#saturatedRate(),
      ...{ evictedTokens, engineBusy: busyMs / gpuMs, verifierBusy: this.#verifier.busyMs / gpuMs },
    };
  }

  #schedule(): void {
    const { arrivals, setting, seed } = this.#spec;
    if (arrivals.kind === 'one-by-one') {
      this.#world.at(0, () => this.#submitNext());
      return;
    }
    let atMs = 0;
    for (const question of this.#questions) {
      if (arrivals.kind === 'rate') {
        atMs += (new Random(setting, seed, 'gap', question).exponential(1) * 1000) / arrivals.perSecond;
      }
      this.#world.at(atMs, () => this.#submitNext());
    }
  }

  #submitNext(): void {
    const at = this.#next;
    this.#next += 1;
    this.#runtime.submit(this.#requestOf(at));
  }

  #requestOf(at: number): SearchRequest {
    const { built } = this.#search;
    const prompt = this.#model.promptOf(this.#questions[at]!);
    const plan = { ...built.plan, prompt, seed: hash(JSON.stringify(prompt)) };
    return requestOf({ ...built, plan }, String(at), this.#model.extract);
  }

  #react(): void {
    do {
      this.#woken = false;
      this.#runtime.step();
    } while (this.#woken);
    const wakeMs = this.#runtime.nextWakeMs();
    if (wakeMs === undefined || wakeMs >= this.#wakeMs) return;
    this.#wakeMs = wakeMs;
    this.#world.at(Math.max(wakeMs, this.#world.nowMs), () => {
      this.#wakeMs = Number.POSITIVE_INFINITY;
    });
  }

  #end(result: SearchResult): void {
    const at = Number(result.id);
    const { prompt } = this.#requestOf(at);
    this.#served[at] = {
      ...{ arrivalMs: result.arrivalMs, admittedMs: result.admittedMs, endedMs: result.endedMs },
      ...{ rollouts: result.rollouts, exit: result.exit.kind },
      tokens: 0,
      correct: result.answer?.complete === true && this.#model.isRight(prompt, result.answer.answer),
    };
    this.#left -= 1;
    const waiting = this.#runtime.waiting.size;
    this.#ends.push({ atMs: result.endedMs, tokens: this.#engine.totals().generatedTokens, waiting });
    if (this.#spec.arrivals.kind === 'one-by-one' && this.#left > 0) {
      this.#world.at(this.#world.nowMs, () => this.#submitNext());
    }
  }

  /** What was cancelled at the exit has been generated all the same: tokens are counted when the engine has said how many. */
  #settle(at: number, { committedTokens, discardedTokens, speculativeTokens }: Cost): void {
    this.#served[at] = { ...this.#served[at]!, tokens: committedTokens + discardedTokens + speculativeTokens };
    this.#unsettled -= 1;
  }

  /** From the end of the ramp (a fifth of the searches that end while others wait) to the last such end. */
  #saturatedRate(): number | undefined {
    const saturated = this.#ends.filter(({ waiting }) => waiting > 0);
    const from = saturated[Math.floor(saturated.length / 5)];
    const to = saturated.at(-1);
    if (from === undefined || to === undefined || to.atMs <= from.atMs) return undefined;
    return ((to.tokens - from.tokens) * 1000) / (to.atMs - from.atMs);
  }
}
