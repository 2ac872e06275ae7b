// Policies on a real engine under open arrivals: the same questions at the same moments for every policy, at multiples of the rate that `positive`
// has served in this run with all questions there at once. Beside every figure stands the simulator's, computed from the times that engine and
// verifier measured of themselves and from what they wrote. The simulator is as good as its order of the policies.

import type { GoldQuestion } from '@coppice/core/answering';
import { mean, raise } from '@coppice/core/base';
import { tableCost } from '@coppice/core/cost';
import { runBlock } from 'coppice/bench';
import type { BenchContender, BenchContest, BenchTrial } from '../contest-shapes.ts';
import type { Load } from '../service/index.ts';
import { percentile } from '../statistics.ts';
import { arrivals, mixed } from './arrivals.ts';
import { othersShare, processorMs } from './neighbours.ts';
import { Recording } from './recording.ts';
import { sustained } from './sustained.ts';
import { type BlockCosts, virtualBlock } from './virtual-block.ts';

interface OpenLoadPlan {
  readonly contest: BenchContest;
  /** The first is what loads are multiples of. */
  readonly contenders: readonly BenchContender[];
  readonly questions: readonly GoldQuestion[];
  readonly loads: readonly Load[];
}

export interface LoadFigures {
  readonly p50Ms: number;
  readonly p95Ms: number;
  /** Generated, of a mean question. */
  readonly tokens: number;
  /** Of the solvable questions, in percent. */
  readonly accuracy: number;
}

export interface LoadPoint {
  readonly load: string;
  readonly perSecond: number;
  readonly contender: string;
  readonly measured: LoadFigures;
  readonly predicted: LoadFigures;
}

export interface LoadReport {
  /** Questions a second that the first contender sustains with all of them there at once. */
  readonly capacity: number;
  readonly points: readonly LoadPoint[];
  /** Share of simulated steps that the engine never wrote, for which others stood in. */
  readonly unrecorded: number;
  /** Share of the cores that others than this process had meanwhile. */
  readonly others: number;
}

/** `onPoint` is called after every measured point. */
export async function openLoad(given: OpenLoadPlan, onPoint: (about: string) => void): Promise<LoadReport> {
  const plan = { ...given, questions: mixed(given.contest.settings.seed, given.questions) };
  const { loads, contenders, questions } = plan;
  const { seed } = plan.contest.settings;
  const before = processorMs();
  const recording = new Recording();
  const contest = recorded(plan.contest, recording);
  const capacity = await sustained(contest, contenders[0]!, questions);
  onPoint(`${contenders[0]!.name} serves ${capacity.toFixed(2)} a second`);
  const served: Omit<LoadPoint, 'predicted'>[] = [];
  const costs: BlockCosts[] = [];
  for (const { name: load, factor, of } of loads) {
    const perSecond = of === 'clock' ? factor : factor * capacity;
    costs.push(await costsOf(plan.contest));
    for (const contender of contenders) {
      const trials: BenchTrial[] = [];
      const arrivalsMs = arrivals(seed, questions.length, perSecond);
      await runBlock(contest, contender, questions, (trial) => trials.push(trial), arrivalsMs);
      served.push({ load, perSecond, contender: contender.name, measured: figuresOf(trials) });
      onPoint(`${load}: ${contender.name}`);
    }
  }
  const others = othersShare(before);
  const points = served.map((point, at) => {
    const contender = contenders[at % contenders.length]!;
    const cost = costs[Math.floor(at / contenders.length)]!;
    const trials = virtualBlock(
      contest,
      recording,
      cost,
      contender,
      questions,
      arrivals(seed, questions.length, point.perSecond),
    );
    return { ...point, predicted: figuresOf(trials) };
  });
  const { hits, misses } = recording;
  return { capacity, points, unrecorded: misses / Math.max(1, hits + misses), others };
}

function recorded(contest: BenchContest, recording: Recording): BenchContest {
  const { engine, verifier, ...rest } = contest.model;
  if (rest.measure === undefined) raise('bad-setting', 'a load needs the embedded engine, whose times it measures');
  if (verifier === undefined) return raise('bad-setting', 'a load compares searches, and nothing scores them here');
  const model = { ...rest, engine: recording.listenTo(engine), verifier: recording.listenToVerifier(verifier) };
  return { ...contest, model };
}

const measurementMs = 3_000;
/** What a checker says costs nothing beside a model. */
const free = tableCost({
  name: 'a checker',
  contexts: [],
  decode: [],
  prefill: [
    [1, 0.01],
    [4096, 0.01],
  ],
});

async function costsOf({ model }: BenchContest): Promise<BlockCosts> {
  const { engine, verifier } = await model.measure!(measurementMs);
  return { engine: tableCost(engine), verifier: verifier === undefined ? free : tableCost(verifier) };
}

function figuresOf(trials: readonly BenchTrial[]): LoadFigures {
  const took = trials.map(({ latencyMs }) => latencyMs);
  const solvable = trials.filter((trial) => trial.solvable);
  return {
    p50Ms: percentile(took, 50),
    p95Ms: percentile(took, 95),
    tokens: mean(trials.map(({ generatedTokens }) => generatedTokens)),
    accuracy: solvable.length === 0 ? 0 : 100 * mean(solvable.map(({ correct }) => (correct ? 1 : 0))),
  };
}
