// A contest: contenders (a program under a policy), the settings that all of them share, and the record of each answered question.
// Contenders take turns, block by block (block.ts).

import { extractAnswer } from '@coppice/core/answer';
import {
  buildSearch,
  type GoldQuestion,
  type OpenModel,
  ownPlan,
  policySettings,
  requestOf,
  type Wish,
} from '@coppice/core/answering';
import { hash } from '@coppice/core/base';
import type { ExitKind } from '@coppice/core/log';
import { createScheduler, type PolicyName, policyOf } from '@coppice/core/policy';
import { type ProgramName, programNames, programOf } from '@coppice/core/program';
import type { SearchRequest, SearchResult } from '@coppice/core/runtime';
import type { Scheduler } from '@coppice/core/scheduler';
import type { Tree } from '@coppice/core/tree';

export interface Contender {
  readonly name: string;
  readonly program: ProgramName;
  readonly policy: PolicyName;
  readonly rollouts: number;
  /** The row names nothing: each question gets the program that suits it. */
  readonly usual?: boolean;
}

export interface ContestSettings {
  /** Settings of every contender whose program knows them. */
  readonly wish: Wish;
  /** Strands open at a time, over all searches. */
  readonly budget: number;
  readonly concurrency: number;
  readonly seed: number;
}

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
  /** Rows that the generator computed, prompt and path included. */
  readonly computedTokens: number;
  readonly scoredTokens: number;
  readonly rollouts: number;
}

export interface Contest {
  readonly model: OpenModel;
  readonly settings: ContestSettings;
  isCorrect(question: GoldQuestion, answer: string | undefined): boolean;
  onTree?(job: ContestJob, tree: Tree): void;
  /** Aborts a block: running searches are cancelled, and neither these nor waiting questions become trials. */
  readonly signal?: AbortSignal;
}

export interface ContestJob {
  readonly contender: Contender;
  readonly question: GoldQuestion;
}

export function schedulerOf(contest: Contest, contender: Contender): Scheduler {
  const { model, settings } = contest;
  const scheduler = createScheduler(contender.policy, policySettings(settings.wish, model.config));
  const mayStop = policyOf(contender.policy).settings.positiveExit === 'on';
  return contender.program === 'best-of-n' && mayStop ? oneByOne(scheduler, settings.budget) : scheduler;
}

/**
 * Gives each search one strand, so that it reads a sample before it draws the next. The budget still counts samples
 * at their natural width, so more searches run.
 */
function oneByOne(scheduler: Scheduler, budget: number): Scheduler {
  const narrow = <Each extends object>(each: Each) => ({ ...each, naturalWidth: 1, demand: 1 });
  return {
    ...scheduler,
    decide: (seen) =>
      scheduler.decide({ ...seen, budget, waiting: seen.waiting.map(narrow), running: seen.running.map(narrow) }),
  };
}

export function contestRequest({ settings, model }: Contest, { contender, question }: ContestJob): SearchRequest {
  const plan = ownPlan(model, question.question, wishOf(contender, settings), hash(settings.seed, question.id));
  return requestOf(buildSearch(plan), `${contender.name} ${question.id}`, model.extract ?? extractAnswer);
}

function wishOf({ program, policy, rollouts, usual }: Contender, { wish }: ContestSettings): Wish {
  const others = programNames().filter((name) => name !== program);
  const unknown = new Set<string>([...others, ...(programOf(program).takesTemperature ? [] : ['temperature'])]);
  const known = Object.fromEntries(Object.entries(wish).filter(([name]) => !unknown.has(name)));
  return usual ? known : { ...known, program, policy, rollouts };
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
