// Measures whether a tree pays on this model: runs questions with known answers through one greedy path, scored samples and the tree of the
// user's settings, as many as fit into the time. Keeps samples one by one, so that rules over any number of them can be computed later.
// Only runs and records; comparison.ts evaluates.

import {
  type GoldQuestion,
  isRight,
  type OpenModel,
  ownPlan,
  type SearchPlan,
  type Wish,
} from '@coppice/core/answering';
import { hash } from '@coppice/core/base';
import { policySettingKnobs } from '@coppice/core/config';
import { programOf } from '@coppice/core/program';
import { runBlock } from '../contest/block.ts';
import type { Contender, Contest, Trial } from '../contest/contest.ts';
import { type DrawnSample, samplesOf } from './drawn-samples.ts';
import { timedRounds } from './timed-rounds.ts';

export interface CompareOptions {
  readonly model: OpenModel;
  readonly questions: readonly GoldQuestion[];
  /** The user's settings of a search. */
  readonly wish: Wish;
  /** Rollouts of the tree. */
  readonly rollouts: number;
  readonly samples: number;
  readonly budget: number;
  readonly seed: number;
  readonly limitMs: number;
  readonly clock: CompareClock;
  readonly signal?: AbortSignal | undefined;
  readonly onAnswered?: (questions: number) => void;
}

export interface CompareClock {
  nowMs(): number;
  after(delayMs: number): AbortSignal;
}

const roles = ['greedy', 'tree', 'sampled'] as const;
export type ComparedRole = (typeof roles)[number];

export interface ComparedQuestion {
  readonly id: string;
  readonly greedy: Spent;
  readonly tree: Spent;
  readonly samples: readonly DrawnSample[];
  /** Cost of all samples together. */
  readonly sampled: Spent;
}

export type Spent = Pick<Trial, 'correct' | 'generatedTokens' | 'scoredTokens'>;

export interface ComparedRun {
  readonly tree: Pick<SearchPlan, 'program' | 'policy' | 'aggregation' | 'threshold'> & {
    readonly name: string;
    /** The tree as a command line. */
    readonly flags: string;
  };
  readonly questions: readonly ComparedQuestion[];
  /** Questions answered by each contender, also those that others did not reach. */
  readonly answered: Readonly<Record<ComparedRole, number>>;
  /** Questions that failed. */
  readonly failed: number;
  readonly elapsedMs: number;
}

/** Several rounds of one contender wait for their slowest search only once. */
const roundsOfBudget = 4;

export async function compare(options: CompareOptions): Promise<ComparedRun> {
  const { model, wish, rollouts, samples, clock, limitMs, budget } = options;
  const questions = shuffled(options.questions, options.seed);
  const tree = treeOf(options, questions[0]!);
  const contenders = {
    greedy: { name: 'greedy', program: 'greedy', policy: 'vanilla', rollouts: 1 },
    tree: { name: tree.name, program: tree.program, policy: tree.policy, rollouts },
    sampled: { name: 'samples', program: 'best-of-n', policy: 'vanilla', rollouts: samples },
  } as const satisfies Record<string, Contender>;
  const found = new TrialsByQuestion();
  const drawn = new Map<string, DrawnSample[]>();
  const startMs = clock.nowMs();
  const contestOf = (role: ComparedRole, signal: AbortSignal): Contest => ({
    model,
    settings: { wish: role === 'tree' ? wish : withoutExits(wish), budget, concurrency: budget, seed: options.seed },
    isCorrect: isRight,
    signal,
    onTree: ({ question }, grown) => void (role === 'sampled' && drawn.set(question.id, samplesOf(question, grown))),
  });
  const limits = { limitMs, most: roundsOfBudget * budget, nowMs: () => clock.nowMs() };
  await timedRounds(questions, limits, async (round, leftMs) => {
    const signal = AbortSignal.any([
      clock.after(Math.max(0, Math.ceil(leftMs))),
      ...(options.signal ? [options.signal] : []),
    ]);
    for (const role of roles)
      await runBlock(contestOf(role, signal), contenders[role], round, (trial) => found.add(role, trial));
    options.onAnswered?.(found.whole().length);
    return options.signal?.aborted !== true;
  });
  const whole = found.whole().filter(({ id }) => drawn.get(id)?.length === samples);
  return {
    tree,
    questions: whole.map((each) => ({ ...each, samples: drawn.get(each.id)! })),
    answered: { greedy: found.count('greedy'), tree: found.count('tree'), sampled: found.count('sampled') },
    failed: found.failed,
    elapsedMs: clock.nowMs() - startMs,
  };
}

/** Shuffles questions: files are often sorted by difficulty. */
function shuffled(questions: readonly GoldQuestion[], seed: number): GoldQuestion[] {
  const keyed = questions.map((question) => ({ question, key: hash(seed, 'doctor', question.id) }));
  return keyed.sort((a, b) => a.key - b.key).map(({ question }) => question);
}

const trees = ['mcts', 'best-first', 'rstar', 'beam', 'dvts', 'rebase', 'ets', 'tot'];

/** The tree that the user's flags name, as it would really run; best-first search if they name none. */
function treeOf({ model, wish, rollouts, seed }: CompareOptions, { question }: GoldQuestion) {
  const program = programOf(trees.find((each) => each === wish.program) ?? 'best-first').name;
  const { policy, aggregation, threshold } = ownPlan(model, question, { ...wish, program, rollouts }, seed);
  const flags = `--program ${program} --policy ${policy}`;
  return { name: `${program}, ${policy}`, flags, program, policy, aggregation, threshold };
}

/** Drops settings that end a search early: every sample is drawn to its end. */
function withoutExits(wish: Wish): Wish {
  return Object.fromEntries(Object.entries(wish).filter(([name]) => !Object.hasOwn(policySettingKnobs, name)));
}

class TrialsByQuestion {
  readonly #byQuestion = new Map<string, Partial<Record<ComparedRole, Trial>>>();

  add(role: ComparedRole, trial: Trial): void {
    this.#byQuestion.set(trial.question, { ...this.#byQuestion.get(trial.question), [role]: trial });
  }

  whole() {
    return [...this.#byQuestion].flatMap(([id, { greedy, tree, sampled }]) => {
      if (greedy === undefined || tree === undefined || sampled === undefined) return [];
      return isFailed(greedy, tree, sampled) ? [] : [{ id, greedy, tree, sampled }];
    });
  }

  count(role: ComparedRole): number {
    return [...this.#byQuestion.values()].filter((trials) => trials[role] !== undefined).length;
  }

  get failed(): number {
    return [...this.#byQuestion.values()].filter((trials) => isFailed(...Object.values(trials))).length;
  }
}

function isFailed(...trials: readonly Trial[]): boolean {
  return trials.some(({ exit }) => exit === 'failed');
}
