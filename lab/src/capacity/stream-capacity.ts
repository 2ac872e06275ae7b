// What one stream of a trace shows about a number of GPUs: the rate at which its searches complete when all of them wait, and whether p99
// keeps the bound at a rate. A rate is held only if both agree: a stream ends before a slowly growing queue has delayed any
// search, and a backlog has no bursts.

import { assert, raise } from '@coppice/core/base';
import type { MeasuredMachine } from '../machine-table/measured-machine.ts';
import { type Latencies, latenciesOf, type TraceUse } from '../service/index.ts';
import { capacityOf } from '../sim/capacity.ts';
import type { SimulatedContender } from '../sim/contenders.ts';
import { type TrialResult, type TrialSpec, trialDefaults } from '../sim/trial.ts';

export interface CapacityPlan {
  readonly trace: Omit<TraceUse, 'resampled'>;
  readonly machine: MeasuredMachine;
  readonly contender: SimulatedContender;
  readonly setting: TrialSpec['setting'];
  readonly rollouts: number;
  /** Strands of each GPU. */
  readonly budget: number;
  readonly p99Ms: number;
  /** Of a stream; unless given, as many as come in `boundsOfStream` times the bound. */
  readonly requests?: number;
  readonly streams: number;
  readonly seed: number;
}

/** Blocks of a stream: few, so that what is heavy for minutes stays heavy for minutes. */
const blocksOfStream = 4;
/** How many times the bound a stream lasts: a shorter one ends before a growing queue delays a request. */
const boundsOfStream = 8;
/** p99 needs some hundreds; more than the most take minutes. */
const usualRequests = { least: 400, most: 1200 };

export function requestsOf({ requests, p99Ms }: CapacityPlan, perSecond: number): number {
  const lasting = Math.ceil((boundsOfStream * p99Ms * perSecond) / 1000);
  return requests ?? Math.max(usualRequests.least, Math.min(usualRequests.most, lasting));
}

export type RunTrial = (spec: TrialSpec) => Promise<TrialResult>;

/** A rate at which p99 kept its bound. */
export interface KeptRate extends Latencies {
  readonly gpus: number;
  readonly perSecond: number;
}

export class StreamCapacity {
  readonly #plan: CapacityPlan;
  readonly #stream: number;
  readonly #run: RunTrial;
  readonly #saturation = new Map<string, Promise<number>>();
  readonly #kept: KeptRate[] = [];
  runs = 0;

  constructor(plan: CapacityPlan, stream: number, run: RunTrial) {
    this.#plan = plan;
    this.#stream = stream;
    this.#run = run;
  }

  /** Searches a second while others wait, over so many; at least as many as it takes to keep some waiting. */
  saturation(gpus: number, requests = 0): Promise<number> {
    const key = `${gpus} ${requests}`;
    const found = this.#saturation.get(key) ?? this.#backlog(gpus, requests);
    this.#saturation.set(key, found);
    return found;
  }

  async keepsBound(gpus: number, perSecond: number, requests: number): Promise<boolean> {
    const result = await this.#served(gpus, requests, { kind: 'rate', perSecond });
    if (result.brokeBound) return false;
    this.#kept.push({ gpus, perSecond, ...latenciesOf(result) });
    return true;
  }

  async holds(gpus: number, perSecond: number, requests: number): Promise<boolean> {
    return (await this.saturation(gpus, requests)) >= perSecond && (await this.keepsBound(gpus, perSecond, requests));
  }

  /** The hardest that it kept the bound at: the highest rate, with the fewest GPUs. */
  get edge(): KeptRate | undefined {
    return this.#kept.toSorted((a, b) => b.perSecond - a.perSecond || a.gpus - b.gpus)[0];
  }

  /** Twice what can be open at a time, so that half of them end while others wait. */
  async #backlog(gpus: number, requests: number): Promise<number> {
    const least = 2 * gpus * this.#plan.budget + 100;
    const rate = capacityOf(await this.#served(gpus, Math.max(least, requests), { kind: 'backlog' }));
    assert(rate !== undefined, 'a backlog keeps searches waiting');
    return rate;
  }

  async #served(gpus: number, requests: number, arrivals: TrialSpec['arrivals']): Promise<TrialResult> {
    this.runs += 1;
    const { trace, machine, contender, setting, rollouts, budget, p99Ms } = this.#plan;
    const seed = this.#plan.seed + this.#stream;
    const resampled = { seed, blockRequests: Math.ceil(requests / blocksOfStream) };
    const result = await this.#run({
      ...trialDefaults,
      machine,
      gpus,
      contender,
      setting,
      rollouts,
      requests,
      arrivals,
      seed,
      budget: gpus * budget,
      trace: { ...trace, resampled },
      ...(arrivals.kind === 'rate' && { p99BoundMs: p99Ms }),
    });
    const failed = result.served.filter(({ exit }) => exit === 'failed').length;
    if (failed > 0)
      raise('too-long', `${failed} of ${requests} simulated searches failed: the machine has no room for them`);
    return result;
  }
}
