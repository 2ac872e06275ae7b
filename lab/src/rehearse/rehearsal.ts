// One point of a rehearsal: simulated questions served under one policy at one load by the production runtime on real servers and the
// real clock. When its time is up, the remaining searches are cancelled and reported as unfinished.

import { type Fault, mean } from '@coppice/core/base';
import type { Engine } from '@coppice/core/engine';
import type { Journal } from '@coppice/core/journal';
import type { Cost } from '@coppice/core/log';
import { LiveLoop, Runtime, type SearchResult, systemClock } from '@coppice/core/runtime';
import type { Verifier } from '@coppice/core/verifier';
import {
  type Arrivals,
  arrivalTimesMs,
  contenderOf,
  modelConfig,
  questionRequest,
  questionsOf,
  type RowName,
  type Served,
  type SettingName,
  type SimulatedQuestions,
  type SimulatedSearch,
  searchOf,
  servedOf,
  type TraceUse,
} from '../service/index.ts';
import { RealSteps } from './real-steps.ts';
import { RehearsedEngine } from './rehearsed-engine.ts';
import { RehearsedVerifier } from './rehearsed-verifier.ts';
import { SearchJournal } from './search-journal.ts';

export interface RehearsalPoint {
  readonly setting: SettingName;
  readonly row: RowName;
  /** The load as written: 1p, 0.8/s, 0.5x, backlog, alone. */
  readonly load: string;
  /** Requests per second; undefined for backlog and alone. */
  readonly perSecond: number | undefined;
  readonly seed: number;
  readonly requests: number;
  readonly budget: number;
  readonly rollouts: number;
  readonly threshold: number;
  readonly trees?: string;
  /** Gives gaps and lengths. */
  readonly trace?: TraceUse;
}

export interface RehearsalParts {
  readonly engine: Engine;
  readonly verifier: Verifier;
  readonly journal: Journal;
  readonly tokensPerWord: number;
}

export interface RehearsalResult {
  /** Searches that ended, by arrival; times count from the start. */
  readonly served: readonly Served[];
  /** Ages of the searches that were cancelled when time was up. */
  readonly unfinishedMs: readonly number[];
  readonly elapsedMs: number;
  readonly generatedTokens: number;
  /** Prompt and path tokens, as the generator's server counted. */
  readonly computedTokens: number;
  readonly cachedTokens: number;
  readonly sequences: number;
  readonly scores: number;
  /** Missing where no score came. */
  readonly scoreMs?: number;
  /** CPU time of this process. */
  readonly cpuMs: number;
  readonly faults: number;
  readonly lastFault?: string;
}

export function rehearse(point: RehearsalPoint, parts: RehearsalParts, seconds: number): Promise<RehearsalResult> {
  return new RehearsalRun(point, parts).run(seconds * 1000);
}

class RehearsalRun {
  readonly #point: RehearsalPoint;
  readonly #model: SimulatedQuestions;
  readonly #engine: RehearsedEngine;
  readonly #verifier: RehearsedVerifier;
  readonly #search: SimulatedSearch;
  readonly #journal: SearchJournal;
  readonly #runtime: Runtime;
  readonly #loop = new LiveLoop();
  readonly #startMs = systemClock.nowMs();
  readonly #served: (Served | undefined)[];
  readonly #live = new Map<number, number>();
  readonly #unfinishedMs: number[] = [];
  readonly #cpu = process.cpuUsage();
  readonly #timers: NodeJS.Timeout[] = [];
  readonly #over = Promise.withResolvers<void>();
  #faults = 0;
  #lastFault: string | undefined;
  #unsettled: number;
  #cut = false;

  constructor(point: RehearsalPoint, { engine, verifier, journal, tokensPerWord }: RehearsalParts) {
    this.#point = point;
    const source = questionsOf(point);
    const common = { source, steps: new RealSteps(), clock: systemClock };
    const salt = `${point.row} ${point.load} ${point.seed} ${this.#startMs}`;
    this.#model = source;
    this.#engine = new RehearsedEngine({ ...common, engine, tokensPerWord, salt });
    this.#verifier = new RehearsedVerifier({ ...common, verifier });
    const model = { config: modelConfig, engine: this.#engine, verifier: this.#verifier };
    const { rollouts, threshold, budget } = point;
    this.#search = searchOf(contenderOf(point.row), model, { rollouts, threshold });
    this.#journal = new SearchJournal(journal, point.row, `${this.#startMs}`);
    this.#served = new Array<Served | undefined>(point.requests).fill(undefined);
    this.#unsettled = point.requests;
    this.#runtime = new Runtime({
      engine: this.#engine,
      verifier: this.#verifier,
      scheduler: this.#search.scheduler,
      budget,
      clock: systemClock,
      requestTimeoutMs: modelConfig.requestMs,
      wake: this.#loop.wake,
      onEntry: (entry) => this.#journal.append(entry),
      onEnd: (result) => this.#end(result),
      onCost: (id, cost) => this.#settle(Number(id), cost),
      onFault: (_search, fault) => this.#fault(fault),
    });
  }

  async run(limitMs: number): Promise<RehearsalResult> {
    for (const [at, atMs] of this.#arrivalsMs().entries()) {
      if (atMs < limitMs) this.#later(atMs, () => this.#submit(at));
    }
    this.#later(limitMs, () => this.#timeUp());
    this.#loop.drive(this.#runtime);
    await this.#over.promise;
    for (const timer of this.#timers) clearTimeout(timer);
    this.#loop.stop();
    await this.#journal.flush();
    return this.#result();
  }

  /** Arrival times that are known beforehand: of one-by-one questions, the first alone. */
  #arrivalsMs(): number[] {
    const arrivals = arrivalsOf(this.#point);
    const questions = this.#served.map((_, at) => at).slice(0, arrivals.kind === 'one-by-one' ? 1 : undefined);
    return arrivalTimesMs({ ...this.#point, arrivals }, questions);
  }

  #later(ms: number, act: () => void): void {
    this.#timers.push(setTimeout(act, ms));
  }

  #submit(at: number): void {
    const request = questionRequest(this.#search, this.#model, at, String(at));
    this.#live.set(at, systemClock.nowMs());
    this.#journal.accept(request);
    // Nothing is repeated here, and servers are faster without seeds.
    this.#runtime.submit({ ...request, repeatable: false });
  }

  #timeUp(): void {
    const nowMs = systemClock.nowMs();
    this.#cut = true;
    for (const timer of this.#timers) clearTimeout(timer);
    for (const [at, sinceMs] of this.#live) {
      this.#unfinishedMs.push(nowMs - sinceMs);
      this.#runtime.cancel(String(at));
    }
    this.#unsettled = this.#live.size;
    if (this.#unsettled === 0) this.#over.resolve();
  }

  #end(result: SearchResult): void {
    const at = Number(result.id);
    this.#live.delete(at);
    this.#journal.ended(result);
    if (this.#cut) return;
    this.#served[at] = servedOf({ ...result, ...fromStart(result, this.#startMs) }, this.#model, at);
  }

  #settle(at: number, { committedTokens, discardedTokens, speculativeTokens }: Cost): void {
    const served = this.#served[at];
    const tokens = committedTokens + discardedTokens + speculativeTokens;
    if (served !== undefined) this.#served[at] = { ...served, tokens };
    this.#unsettled -= 1;
    if (this.#unsettled === 0) this.#over.resolve();
    else if (!this.#cut && arrivalsOf(this.#point).kind === 'one-by-one') this.#later(0, () => this.#submit(at + 1));
  }

  #fault({ message }: Fault): void {
    this.#faults += 1;
    this.#lastFault = message;
  }

  #result(): RehearsalResult {
    const { user, system } = process.cpuUsage(this.#cpu);
    const { tookMs } = this.#verifier.meter;
    return {
      served: this.#served.filter((each) => each !== undefined),
      unfinishedMs: this.#unfinishedMs,
      elapsedMs: systemClock.nowMs() - this.#startMs,
      ...this.#engine.totals,
      sequences: this.#engine.meter.meanSince(this.#startMs),
      scores: tookMs.length,
      ...(tookMs.length > 0 && { scoreMs: mean(tookMs) }),
      cpuMs: (user + system) / 1000,
      faults: this.#faults,
      ...(this.#lastFault !== undefined && { lastFault: this.#lastFault }),
    };
  }
}

export const aloneLoad = 'alone';

function arrivalsOf({ load, perSecond }: RehearsalPoint): Arrivals {
  if (load === aloneLoad) return { kind: 'one-by-one' };
  return perSecond === undefined ? { kind: 'backlog' } : { kind: 'rate', perSecond };
}

function fromStart({ arrivalMs, admittedMs, endedMs }: SearchResult, startMs: number) {
  return {
    arrivalMs: arrivalMs - startMs,
    admittedMs: admittedMs === undefined ? undefined : admittedMs - startMs,
    endedMs: endedMs - startMs,
  };
}
