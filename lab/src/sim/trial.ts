// One simulated run: the production runtime serves a stream of questions under one policy, on simulated GPUs. A trial
// is plain data; the same data gives the same result on any machine and in any thread.

import { assert } from '@coppice/core/base';
import { GrowthMeter, type GrowthTotals } from '@coppice/core/log';
import { type WorkEstimates, WorkMeter } from '@coppice/core/runtime';
import type { Tree } from '@coppice/core/tree';
import { World } from '@coppice/sim/engine';
import {
  type Aggregation,
  type Choice,
  type Cost,
  type LoggedEvent,
  Runtime,
  type SearchRequest,
  type SearchResult,
} from 'coppice';
import { attainedWork } from '../baselines/attained-service.ts';
import { type RolloutStanding, watchingRule } from '../clairvoyant.ts';
import { JudgedWork, type KnownTokens, knowingWork } from '../known-work.ts';
import type { MeasuredMachine } from '../machine-table/measured-machine.ts';
import { type SearchEnd, saturatedRate } from '../saturated-rate.ts';
import {
  type Arrivals,
  arrivalTimesMs,
  modelConfig,
  questionRequest,
  type Served,
  type SettingName,
  type SimulatedQuestions,
  type SimulatedSearch,
  searchDefaults,
  servedOf,
  type TraceUse,
  warmUpShare,
} from '../service/index.ts';
import { type AnswerTimes, noTimes, TimedEngine, TimedVerifier } from './answer-times.ts';
import { type SimulatedContender, trialSearch } from './contenders.ts';
import { draftedCost, type TokenTree } from './drafted-cost.ts';
import { type FinishedPath, finishedPaths } from './finished-paths.ts';
import type { EdgeMachine } from './gpu.ts';
import { type PlaceSize, placeOf } from './machine.ts';
import { type ErringProfile, erringQuestions } from './reward-habits.ts';
import { type GpuName, settingOf } from './settings.ts';

export interface TrialSpec {
  readonly setting: SettingName;
  readonly contender: SimulatedContender;
  readonly arrivals: Arrivals;
  readonly seed: number;
  readonly requests: number;
  readonly budget: number;
  readonly rollouts: number;
  /** Steps of an expansion; the row's own unless given. */
  readonly branching?: number;
  readonly threshold: number;
  readonly verifierReuses: boolean;
  /** Servers as `table` measured them, instead of P0's hardware. */
  readonly machine?: MeasuredMachine;
  /** How many of that machine; one unless given. */
  readonly gpus?: number;
  /** P4's consumer GPU instead of P0's hardware. */
  readonly edge?: EdgeMachine;
  /** Of P0's hardware; two GPUs a side unless given. */
  readonly size?: PlaceSize;
  /** Step times from a roofline of this GPU instead of the measured tables. */
  readonly roofline?: GpuName;
  /** Turns knobs of the setting's question profile, for calibration. */
  readonly profile?: ErringProfile;
  /** The simulated verifier's own, and the best path, unless given. */
  readonly aggregation?: Aggregation;
  readonly choose?: Choice;
  /** Of an easy question, from its arrival on; a harder one has two or three times as long. The best so far is given then. */
  readonly deadlineMs?: number;
  /** Which questions, by number; the first `requests` unless given. */
  readonly questions?: readonly number[];
  /** A recording whose trees are drawn from instead of the setting's question profile. */
  readonly trees?: string;
  /** Arrivals and lengths from requests that were served somewhere; the setting says the rest. */
  readonly trace?: TraceUse;
  /** The run ends as soon as p99 cannot keep this bound any more: the rest would not change that. */
  readonly p99BoundMs?: number;
  /** Writes down how every search stands after each of its rollouts. */
  readonly watched?: boolean;
  /** Writes down the finished paths of every search. */
  readonly pathed?: true;
  /** Its generator predicts several tokens at a time. */
  readonly drafted?: TokenTree;
  /** The order by work knows beforehand what every request will take, or is held against it. */
  readonly work?: { readonly tokens: KnownTokens; readonly use: 'known' | 'judged' };
}

export const trialDefaults = {
  seed: 1,
  budget: searchDefaults.budget,
  rollouts: searchDefaults.rollouts,
  threshold: searchDefaults.threshold,
  verifierReuses: true,
} as const;

export interface TrialResult {
  readonly served: readonly Served[];
  /** It was ended when its p99 was beyond its bound; `served` has what had ended by then. */
  readonly brokeBound?: true;
  /** Of every request; missing where it has none. */
  readonly answers: readonly (string | undefined)[];
  /** Generated tokens per second while searches were waiting, the ramp left out; undefined where none waited. */
  readonly saturatedTokensPerSecond: number | undefined;
  /** The same of tokens that the reward model computed. */
  readonly saturatedVerifierTokensPerSecond: number | undefined;
  /** Of every request, where the spec asks for it. */
  readonly standings?: readonly (readonly RolloutStanding[])[];
  /** How fast paths were completed, and which guesses were right. */
  readonly growth: GrowthTotals;
  /** Where estimates of work were judged: by `judgedSteps`, their rank correlation with the truth. */
  readonly workRanks?: readonly number[];
  /** Of every request, where the spec asks for it. */
  readonly paths?: readonly (readonly FinishedPath[])[];
  /** Of what programs asked for. */
  readonly times: AnswerTimes;
  readonly evictedTokens: number;
  /** Share of the time in which the GPUs of a side worked. */
  readonly engineBusy: number;
  readonly verifierBusy: number;
}

/** `onEvent` gets the events that a journal would store. */
export function runTrial(spec: TrialSpec, onEvent?: (event: LoggedEvent) => void): TrialResult {
  return new TrialRun(spec, onEvent).run();
}

class TrialRun {
  readonly #spec: TrialSpec;
  readonly #world = new World();
  readonly #model: SimulatedQuestions;
  readonly #engine: TimedEngine;
  readonly #verifier: TimedVerifier;
  readonly #times = noTimes();
  readonly #runtime: Runtime;
  readonly #search: SimulatedSearch;
  readonly #gpus: number;
  readonly #questions: readonly number[];
  readonly #served: (Served | undefined)[];
  readonly #answers: (string | undefined)[];
  /** Generated tokens by the time of each end, to find the rate while others waited. */
  readonly #ends: SearchEnd[] = [];
  /** The same of what the reward model computed. */
  readonly #scored: SearchEnd[] = [];
  readonly #standings: RolloutStanding[][];
  readonly #paths: (readonly FinishedPath[])[];
  readonly #growth = new GrowthMeter();
  readonly #work: WorkEstimates | undefined;
  #next = 0;
  /** Beyond the bound, and how many may be. */
  #late = 0;
  readonly #lateAllowed: number;
  #left: number;
  #unsettled: number;
  #woken = false;
  /** What a part of ours threw first: a runtime goes on, a trial is void. */
  #thrown: string | undefined;
  #wakeMs = Number.POSITIVE_INFINITY;

  constructor(spec: TrialSpec, onEvent: ((event: LoggedEvent) => void) | undefined) {
    this.#spec = spec;
    this.#model = erringQuestions(spec);
    const place = placeOf(settingOf(spec.setting), spec);
    this.#gpus = place.replicas;
    const engine = spec.drafted
      ? { ...place.engine, cost: draftedCost(place.engine.cost, spec.drafted) }
      : place.engine;
    this.#engine = new TimedEngine(this.#world, this.#model, engine, this.#times);
    this.#verifier = new TimedVerifier(this.#world, this.#model, place.verifier, this.#times);
    const model = { config: modelConfig, engine: this.#engine, verifier: this.#verifier };
    const { rollouts, branching, threshold, aggregation, choose } = spec;
    this.#search = trialSearch(spec.contender, model, {
      rollouts,
      threshold,
      ...(branching && { branching }),
      ...(aggregation && { aggregation }),
      ...(choose && { choose }),
    });
    this.#questions = spec.questions ?? Array.from({ length: spec.requests }, (_, at) => at);
    this.#left = this.#questions.length;
    this.#unsettled = this.#left;
    this.#lateAllowed = spec.p99BoundMs === undefined ? this.#left : beyondP99(this.#left);
    this.#served = new Array<Served | undefined>(this.#left).fill(undefined);
    this.#answers = this.#questions.map(() => undefined);
    this.#standings = this.#questions.map(() => []);
    this.#paths = this.#questions.map(() => []);
    this.#work = workOf(spec);
    this.#runtime = new Runtime({
      engine: this.#engine,
      verifier: this.#verifier,
      scheduler: this.#search.scheduler,
      budget: isAttained(spec) ? spec.requests : spec.budget,
      clock: this.#world.clock,
      work: this.#work,
      onEvent: (event, fold) => {
        this.#growth.read(event, fold);
        if (spec.pathed && event.event.type === 'exited' && fold.tree) this.#keepPaths(Number(event.search), fold.tree);
        onEvent?.(event);
      },
      onFault: (_, { code, message }) => {
        if (code === 'internal') this.#thrown ??= message;
      },
      onEnd: (result) => this.#end(result),
      onCost: (id, cost) => this.#settle(Number(id), cost),
      wake: () => {
        this.#woken = true;
      },
    });
  }

  run(): TrialResult {
    this.#schedule();
    this.#world.run(() => this.#react(), { stop: () => this.#unsettled === 0 || this.#brokeBound });
    assert(this.#thrown === undefined, `${this.#thrown}`);
    assert(this.#brokeBound || (this.#left === 0 && this.#unsettled === 0), `${this.#left} searches never ended`);
    const { busyMs, evictedTokens } = this.#engine.totals();
    const gpuMs = this.#gpus * this.#world.nowMs;
    return {
      served: this.#served.filter((each) => each !== undefined),
      ...(this.#brokeBound ? { brokeBound: true } : {}),
      answers: this.#answers,
      saturatedTokensPerSecond: saturatedRate(this.#ends),
      saturatedVerifierTokensPerSecond: saturatedRate(this.#scored),
      ...(this.#spec.watched ? { standings: this.#standings } : {}),
      growth: this.#growth.total,
      ...(this.#spec.pathed ? { paths: this.#paths } : {}),
      times: this.#times,
      ...(this.#work instanceof JudgedWork ? { workRanks: this.#work.ranks } : {}),
      evictedTokens,
      engineBusy: busyMs / gpuMs,
      verifierBusy: this.#verifier.busyMs / gpuMs,
    };
  }

  get #brokeBound(): boolean {
    return this.#late > this.#lateAllowed;
  }

  #schedule(): void {
    const { arrivals } = this.#spec;
    const first = arrivals.kind === 'one-by-one' ? (arrivals.together ?? 1) : this.#questions.length;
    for (const atMs of arrivalTimesMs(this.#spec, this.#questions).slice(0, first)) {
      this.#world.at(atMs, () => this.#submitNext());
    }
  }

  /** The next question, where there is one. */
  #submitNext(): void {
    const at = this.#next;
    if (at >= this.#questions.length) return;
    this.#next += 1;
    const { deadlineMs } = this.#spec;
    const request = questionRequest(this.#search, this.#model, this.#questions[at]!, String(at), deadlineMs);
    this.#runtime.submit(this.#observed(request, at));
  }

  /** With rules that end nothing and write down what this trial is to say of its searches. */
  #observed(request: SearchRequest, at: number): SearchRequest {
    const { watched, verifierReuses } = this.#spec;
    const { prompt, program, rules } = request;
    const model = this.#model;
    const facts = { program, isRight: (answer: string | undefined) => model.isRight(prompt, answer) };
    const costs = { promptTokens: model.promptTokens(prompt), verifierReuses };
    const watching = watched ? [watchingRule({ ...facts, ...costs }, this.#standings[at]!)] : [];
    return { ...request, rules: { ...rules, exits: [...watching, ...rules.exits] } };
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
    this.#served[at] = servedOf(result, this.#model, this.#questions[at]!);
    this.#answers[at] = result.answer?.answer;
    this.#left -= 1;
    const { p99BoundMs = Number.POSITIVE_INFINITY } = this.#spec;
    const counts = at >= warmUp(this.#questions.length);
    if (counts && result.endedMs - result.arrivalMs > p99BoundMs) this.#late += 1;
    const waiting = this.#runtime.waiting.size;
    const moment = { atMs: result.endedMs, waiting };
    this.#ends.push({ ...moment, tokens: this.#engine.totals().generatedTokens });
    this.#scored.push({ ...moment, tokens: this.#verifier.computedTokens });
    if (this.#spec.arrivals.kind === 'one-by-one') this.#world.at(this.#world.nowMs, () => this.#submitNext());
  }

  #keepPaths(at: number, tree: Tree): void {
    const prompt = this.#model.promptOf(this.#questions[at]!);
    this.#paths[at] = finishedPaths(tree, (answer) => this.#model.isRight(prompt, answer));
  }

  /** What was cancelled at the exit has been generated all the same: tokens are counted when the engine has said how many. */
  #settle(at: number, { committedTokens, discardedTokens, speculativeTokens }: Cost): void {
    this.#served[at] = { ...this.#served[at]!, tokens: committedTokens + discardedTokens + speculativeTokens };
    this.#unsettled -= 1;
  }
}

function warmUp(requests: number): number {
  return Math.floor(warmUpShare * requests);
}

/** How many of them may lie beyond p99 as `latenciesOf` counts it: the nearest rank, the warm-up left out. */
function beyondP99(requests: number): number {
  const counted = requests - warmUp(requests);
  return counted - Math.ceil(0.99 * counted);
}

/** Orders by attained service know no admission: all that come are let in. */
function isAttained({ contender }: TrialSpec): boolean {
  return 'attained' in contender && contender.attained !== undefined;
}

function workOf(spec: TrialSpec): WorkEstimates | undefined {
  if (isAttained(spec)) return attainedWork;
  const { work } = spec;
  if (work === undefined) return undefined;
  return work.use === 'known' ? knowingWork(work.tokens) : new JudgedWork(new WorkMeter(), work.tokens);
}
