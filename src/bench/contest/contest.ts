// A block of questions answered by one contender (a program under a policy) on a real engine: so many searches at a time, or
// each at its moment; results handed over one by one as they end. A comparison lets its contenders take turns, block by block.

import { extractAnswer } from '../../answer/extract.ts';
import type { OpenModel } from '../../answering/models/open-model.ts';
import { ownPlan } from '../../answering/models/own-model.ts';
import { policySettings } from '../../answering/plan/planned-policy.ts';
import type { SearchPlan, Wish } from '../../answering/plan/search-plan.ts';
import { buildSearch, requestOf } from '../../answering/plan/search-request.ts';
import type { GoldQuestion } from '../../answering/question-file.ts';
import { hash } from '../../base/random.ts';
import { withInternal } from '../../config/vocabulary.ts';
import type { ExitKind } from '../../log/end.ts';
import { GrowthMeter } from '../../log/growth-meter.ts';
import { createScheduler } from '../../policy/create.ts';
import type { PolicyOptions } from '../../policy/knobs.ts';
import { type PolicyName, policyOf } from '../../policy/policies.ts';
import type { ExpansionMode } from '../../program/mcts/mcts.ts';
import { type ProgramName, programKnobs, programOf } from '../../program/registry/programs.ts';
import { LiveLoop, systemClock } from '../../runtime/live.ts';
import { Runtime } from '../../runtime/runtime.ts';
import type { SearchRequest, SearchResult } from '../../runtime/search/request.ts';
import type { Scheduler } from '../../scheduler/scheduler.ts';
import type { Tree } from '../../tree/tree.ts';
import { type TrialGrowth, trialGrowth } from './trial-growth.ts';

export interface Contender {
  readonly name: string;
  readonly program: ProgramName;
  readonly policy: PolicyName;
  readonly rollouts: number;
  /** Which of the models of a comparison scores it. */
  readonly verifier?: VerifierMode;
  /** Of MCTS. */
  readonly expansion?: ExpansionMode;
  /** Parts of its policy that are turned, for an ablation. */
  readonly parts?: Partial<PolicyOptions>;
}

/** Who scores: the reward model with the checker in front of it, the reward model alone, the checker alone. */
export const verifierModes = ['both', 'prm', 'checker'] as const;
export type VerifierMode = (typeof verifierModes)[number];

export interface ContestSettings {
  /** What all contenders are told, where their program knows it. */
  readonly wish: Wish;
  /** Strands open at a time, over all searches. */
  readonly budget: number;
  /** Searches at a time. */
  readonly concurrency: number;
  readonly seed: number;
}

/** One question answered by one contender. */
export interface Trial {
  readonly contender: string;
  readonly question: string;
  readonly answer: string | null;
  readonly correct: boolean;
  readonly solvable: boolean;
  readonly exit: ExitKind;
  readonly score: number | null;
  readonly latencyMs: number;
  readonly generatedTokens: number;
  /** Rows that the generator computed for it, prompt and path included. */
  readonly computedTokens: number;
  readonly scoredTokens: number;
  readonly rollouts: number;
  /** Missing in what was kept before it was measured. */
  readonly growth?: TrialGrowth;
}

export interface Contest {
  readonly model: OpenModel;
  readonly settings: ContestSettings;
  isCorrect(question: GoldQuestion, answer: string | undefined): boolean;
  /** Adds rules that end nothing and look on. */
  observe?(request: SearchRequest, job: ContestJob): SearchRequest;
  /** Looks at the tree of a search that has ended. */
  onTree?(job: ContestJob, tree: Tree): void;
  /** Ends a block before its time: what is under way is cancelled, and neither that nor what waits becomes a trial. */
  readonly signal?: AbortSignal;
}

export interface ContestJob {
  readonly contender: Contender;
  readonly question: GoldQuestion;
}

/**
 * Answers the questions with one contender; resolves when all have been and the engine has nothing left of them. `arrivalsMs`:
 * when each of them comes, from the start; without it so many are under way at a time as the settings say.
 */
export async function runBlock(
  contest: Contest,
  contender: Contender,
  questions: readonly GoldQuestion[],
  onTrial: (trial: Trial) => void,
  arrivalsMs?: readonly number[],
): Promise<void> {
  await answerAll(contest, contender, questions, onTrial, arrivalsMs);
  // Cancelled requests may still be on their way; the next runtime numbers its own from 0 again.
  while (outstanding(contest.model) > 0) await new Promise(setImmediate);
}

function outstanding({ engine, verifier, embedder }: OpenModel): number {
  const { runningSequences, waitingSequences } = engine.load();
  return runningSequences + waitingSequences + (verifier?.load().waiting ?? 0) + (embedder?.load().waiting ?? 0);
}

/** A question on its way: answered when it has a result, over when all that was cancelled then has been answered for. */
interface Asked {
  readonly job: ContestJob;
  readonly growth: GrowthMeter;
  result?: SearchResult;
}

function answerAll(
  contest: Contest,
  contender: Contender,
  questions: readonly GoldQuestion[],
  onTrial: (trial: Trial) => void,
  arrivalsMs: readonly number[] | undefined,
): Promise<void> {
  const { settings, model } = contest;
  const loop = new LiveLoop();
  const waiting = questions.map((question) => ({ contender, question })).reverse();
  const asked = new Map<string, Asked>();
  const timers: NodeJS.Timeout[] = [];
  let left = questions.length;
  let isAborted = false;
  return new Promise((resolve, reject) => {
    const runtime = new Runtime({
      engine: model.engine,
      ...(model.verifier === undefined ? {} : { verifier: model.verifier }),
      ...(model.embedder === undefined ? {} : { embedder: model.embedder }),
      scheduler: schedulerOf(contest, contender),
      budget: settings.budget,
      clock: systemClock,
      wake: loop.wake,
      onEvent: (event, fold) => {
        const one = asked.get(event.search);
        one?.growth.read(event, fold);
        if (one !== undefined && fold.tree !== undefined && event.event.type === 'exited')
          contest.onTree?.(one.job, fold.tree);
      },
      onEnd: (result) => {
        asked.get(result.id)!.result = result;
        if (arrivalsMs === undefined) submitNext();
      },
      onCost: (id, cost) => {
        const { job, growth, result } = asked.get(id)!;
        asked.delete(id);
        if (!isAborted || result!.exit.kind !== 'cancelled')
          onTrial({ ...trialOf(contest, job, { ...result!, cost }), growth: trialGrowth(growth.total, cost) });
        left -= 1;
        if (left === 0) stop(resolve);
      },
    });
    const stop = (say: () => void): void => {
      loop.stop();
      for (const timer of timers) clearTimeout(timer);
      contest.signal?.removeEventListener('abort', abort);
      say();
    };
    const abort = (): void => {
      isAborted = true;
      left -= waiting.splice(0).length;
      for (const id of asked.keys()) runtime.cancel(id);
      if (left === 0) stop(resolve);
    };
    const submitNext = (): void => {
      const job = waiting.pop();
      if (job === undefined) return;
      try {
        const planned = contestRequest(contest, job);
        const request = contest.observe?.(planned, job) ?? planned;
        asked.set(request.id, { job, growth: new GrowthMeter() });
        runtime.submit(request);
      } catch (error) {
        stop(() => reject(error));
      }
    };
    if (left === 0 || contest.signal?.aborted) return resolve();
    contest.signal?.addEventListener('abort', abort);
    if (arrivalsMs === undefined) for (let at = 0; at < settings.concurrency; at += 1) submitNext();
    else for (const atMs of arrivalsMs) timers.push(setTimeout(submitNext, atMs));
    loop.drive(runtime);
  });
}

export function schedulerOf(contest: Contest, contender: Contender): Scheduler {
  const { model, settings } = contest;
  const scheduler = createScheduler(
    contender.policy,
    policySettings({ ...settings.wish, ...withInternal(contender.parts ?? {}) }, model.config),
  );
  const mayStop = policyOf(contender.policy).settings.positiveExit === 'on';
  return contender.program === 'best-of-n' && mayStop ? oneByOne(scheduler, settings.budget) : scheduler;
}

/**
 * One strand for each search: one that may stop at an accepted sample does not draw the next before it has looked. The queue counts
 * samples at their natural width, and more of them run than the budget would hold so: the budget stays what it is.
 */
function oneByOne(scheduler: Scheduler, budget: number): Scheduler {
  const narrow = <Each extends object>(each: Each) => ({ ...each, naturalWidth: 1, demand: 1 });
  return {
    ...scheduler,
    decide: (seen) =>
      scheduler.decide({ ...seen, budget, waiting: seen.waiting.map(narrow), running: seen.running.map(narrow) }),
  };
}

export function contestRequest(contest: Contest, job: ContestJob): SearchRequest {
  const id = `${job.contender.name} ${job.question.id}`;
  return requestOf(buildSearch(contestPlan(contest, job)), id, contest.model.extract ?? extractAnswer);
}

export function contestPlan({ settings, model }: Contest, { contender, question }: ContestJob): SearchPlan {
  return ownPlan(model, question.question, wishOf(contender, settings), hash(settings.seed, question.id));
}

/** What all are told, without what this contender's program does not know. */
function wishOf({ program, policy, rollouts, expansion, parts }: Contender, { wish }: ContestSettings): Wish {
  const { options, takesTemperature } = programOf(program);
  const foreign = Object.keys(programKnobs).filter((name) => !Object.hasOwn(options, name));
  const unknown = new Set([...foreign, ...(takesTemperature ? [] : ['temperature'])]);
  const known = Object.fromEntries(Object.entries(wish).filter(([name]) => !unknown.has(name)));
  const turned = withInternal(parts ?? {});
  return { ...known, ...turned, program, policy, rollouts, ...(expansion === undefined ? {} : { expansion }) };
}

export function trialOf(
  contest: Pick<Contest, 'isCorrect'>,
  { contender, question }: ContestJob,
  result: SearchResult,
): Trial {
  const { answer, cost, exit } = result;
  const said = answer?.complete ? answer.answer : undefined;
  return {
    contender: contender.name,
    question: question.id,
    answer: said ?? null,
    correct: question.solvable && contest.isCorrect(question, said),
    solvable: question.solvable,
    exit: exit.kind,
    score: answer?.score ?? null,
    latencyMs: result.endedMs - result.arrivalMs,
    generatedTokens: cost.committedTokens + cost.discardedTokens + cost.speculativeTokens,
    computedTokens: cost.promptTokens + (cost.decodedTokens ?? 0),
    scoredTokens: cost.verifierTokens,
    rollouts: result.rollouts,
  };
}
