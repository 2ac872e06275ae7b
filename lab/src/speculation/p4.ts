// What P4's three parts give beam search on its consumer GPU, simulated (§6.2, §6.4): prefix-aware order (P), memory by cost (M) and
// speculation (S), one after the other as in its figure 15, over the numbers of beams of its figure 12. One question at a time. Goodput is the
// paper's: mean tokens of a beam over the mean time until it is complete. Speculation changes no beam, so tokens are the same.

import { type GrowthTotals, goodput, type QuestionProfile, type SettingName } from 'coppice/internals';
import { type EdgeMachine, type EdgePair, edgePairs } from '../sim/gpu.ts';
import { type TrialResult, type TrialSpec, trialDefaults } from '../sim/trial.ts';
import type { TrialPool } from '../sim/trial-pool.ts';

/** As in figure 12. A beam of the paper is a path being grown: `candidates` of them below each one that was chosen. */
export const beamCounts = [8, 16, 32, 64, 128, 256, 512] as const;
const candidates = 4;
/** Longest step of the paper (figure 11). */
const stepTokens = 2048;
/** Speculative strands: half as many as beams while those are few, then a quarter; chosen on seed 31. */
const leastSpeculation = 8;
const fewSpeculation = 32;

interface StageParts extends Pick<EdgeMachine, 'order' | 'split' | 'looksAhead' | 'alternates'> {
  readonly speculates: boolean;
  readonly extend?: 'unscored';
  readonly scores?: 'gathered';
}

/** Cumulative, then what differs from all three. P4's own baseline (§6.1) generates a level, then scores it: the two models never overlap. */
const stages = {
  none: { order: 'any', split: 'halves', speculates: false },
  "P4's baseline": { order: 'any', split: 'halves', speculates: false, alternates: true },
  P: { order: 'siblings', split: 'halves', speculates: false },
  'P+M': { order: 'siblings', split: 'cost', speculates: false },
  'P+M+S': { order: 'siblings', split: 'cost', speculates: true },
  'scores gathered': { order: 'any', split: 'halves', speculates: false, scores: 'gathered' },
  'P+M+S, scores gathered': { order: 'siblings', split: 'cost', speculates: true, scores: 'gathered' },
  S: { order: 'any', split: 'halves', speculates: true },
  'unscored too': { order: 'siblings', split: 'cost', speculates: true, extend: 'unscored' },
  'unscored, no look-ahead': {
    order: 'siblings',
    split: 'cost',
    speculates: true,
    extend: 'unscored',
    looksAhead: false,
  },
} as const satisfies Record<string, StageParts>;
export type EdgeStage = keyof typeof stages;
export const stageNames = Object.keys(stages) as readonly EdgeStage[];

/** Harder than P0's questions, with steps of very different lengths: 60 tokens in the median, 100 on average (P4, figure 3). */
const profiles = {
  aime: { name: 'aime', easyShare: 0.1, scalingShare: 0.3, meanSteps: 12, stepTokens: 60, stepTokensSpread: 1 },
  amc: { name: 'amc', meanSteps: 9, stepTokens: 45, stepTokensSpread: 1 },
} as const satisfies Record<string, Partial<QuestionProfile>>;
export type EdgeTask = keyof typeof profiles;
const setting: SettingName = 'amc23/8b';

export interface GoodputPlan {
  readonly tasks: readonly EdgeTask[];
  readonly pairs: readonly EdgePair[];
  readonly beams: readonly number[];
  /** Other questions for each; the same for all that are compared. */
  readonly seeds: readonly number[];
  /** Else every path is computed anew for each of its steps, as vLLM's pooling does. */
  readonly verifierReuses: boolean;
  /** Of each cell, by beams. */
  readonly stages: (beams: number, verifierReuses: boolean) => readonly EdgeStage[];
  readonly questions: (beams: number) => number;
}

/** The whole figure: fewer questions, and the figure's own stages alone, where trees are large. */
export const wholePlan: GoodputPlan = {
  tasks: Object.keys(profiles) as EdgeTask[],
  pairs: edgePairs,
  beams: beamCounts,
  seeds: [1],
  verifierReuses: true,
  // Two steps of a path wait for the verifier together only where unscored ones are grown on, and where prefixes are kept the second costs its own tokens anyway.
  stages: (beams, verifierReuses) => stageNames.slice(0, beams > 32 ? 7 : verifierReuses ? 9 : 10),
  questions: (beams) => Math.max(1, Math.min(12, Math.floor(128 / beams))),
};

export interface GoodputLine {
  readonly seed: number;
  readonly task: EdgeTask;
  readonly pair: EdgePair;
  readonly beams: number;
  readonly stage: EdgeStage;
  /** Tokens per second. */
  readonly goodput: number;
  /** Over that without any part. */
  readonly gain: number;
  readonly completionMs: number;
  readonly tokens: number;
  /** Share of the generated tokens that were not needed, in percent. */
  readonly waste: number;
  /** Questions whose outcome differs from the one without. */
  readonly different: number;
  /** Of the time of the searches, the share that the generator would take alone; the reward model's is the rest. */
  readonly generating: number;
  /** Tokens whose keys and values the generator dropped for want of memory. */
  readonly evictedTokens: number;
}

type GoodputCell = Pick<GoodputLine, 'seed' | 'task' | 'pair' | 'beams' | 'stage'>;

export async function goodputLines(plan: GoodputPlan, pool: TrialPool): Promise<GoodputLine[]> {
  const cells = plan.seeds.flatMap((seed) =>
    plan.tasks.flatMap((task) => plan.pairs.flatMap((pair) => cellsOf(plan, { seed, task, pair }))),
  );
  const results = await pool.run(cells.map((cell) => specOf(cell, plan)));
  return cells.map((cell, at) => {
    const base = cells.findIndex((each) => isSameButStage(each, cell) && each.stage === 'none');
    return lineOf(cell, results[at]!, results[base]!);
  });
}

function cellsOf(plan: GoodputPlan, where: Pick<GoodputCell, 'seed' | 'task' | 'pair'>): GoodputCell[] {
  return plan.beams.flatMap((beams) =>
    plan.stages(beams, plan.verifierReuses).map((stage) => ({ ...where, beams, stage })),
  );
}

function isSameButStage(a: GoodputCell, b: GoodputCell): boolean {
  return a.seed === b.seed && a.task === b.task && a.pair === b.pair && a.beams === b.beams;
}

function specOf(
  { seed, task, pair, beams, stage }: GoodputCell,
  { questions, verifierReuses }: GoodputPlan,
): TrialSpec {
  const { order, split, speculates, looksAhead = true, alternates, extend, scores }: StageParts = stages[stage];
  const chosen = beams / candidates;
  const strands = Math.max(leastSpeculation, Math.min(beams / 2, fewSpeculation), chosen);
  const ahead = speculates ? { speculate: strands } : {};
  const lost = given({ extend, scores });
  // A beam is worth two rollouts.
  const size = { rollouts: 2 * chosen, branching: candidates, stepTokens };
  return {
    ...trialDefaults,
    setting,
    seed,
    profile: profiles[task],
    requests: questions(beams),
    rollouts: size.rollouts,
    edge: { pair, order, split, verifierReuses, looksAhead, ...given({ alternates }) },
    arrivals: { kind: 'one-by-one' },
    budget: chosen + (speculates ? strands : 0),
    contender: { program: 'beam', policy: 'vanilla', knobs: { ...size, ...ahead }, lost },
  };
}

/** Without what is not set: a trial is known by its data. */
function given<Some extends object>(some: Some): Partial<Some> {
  return Object.fromEntries(Object.entries(some).filter(([, value]) => value !== undefined)) as Partial<Some>;
}

function lineOf(cell: GoodputCell, result: TrialResult, base: TrialResult): GoodputLine {
  const [own, without] = [result, base].map(({ growth }) => goodput(growth)!) as [number, number];
  const tokens = (served: TrialResult['served']) => served.reduce((sum, each) => sum + each.tokens, 0);
  const outcome = ({ exit, rollouts, correct }: TrialResult['served'][number]) => `${exit} ${rollouts} ${correct}`;
  return {
    ...cell,
    goodput: own,
    gain: own / without,
    completionMs: completionMs(result.growth),
    tokens: tokens(result.served) / result.served.length,
    waste: 100 * (1 - tokens(base.served) / tokens(result.served)),
    different: result.served.filter((each, at) => outcome(each) !== outcome(base.served[at]!)).length,
    generating: generatorShare(result),
    evictedTokens: result.evictedTokens,
  };
}

/** The GPU is never idle while a search runs, and while both models work each has half of it. */
function generatorShare({ engineBusy, verifierBusy }: TrialResult): number {
  const both = engineBusy + verifierBusy - 1;
  return engineBusy - both / 2;
}

function completionMs({ pathMs, paths }: GrowthTotals): number {
  return pathMs / paths;
}
