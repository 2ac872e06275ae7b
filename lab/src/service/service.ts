// A stream of questions served under one policy, in virtual time (a trial) or real time (a rehearsal): arrivals, requests, results.

import { requestOf } from '@coppice/core/answering';
import { hash, Random } from '@coppice/core/base';
import type { ExitKind } from '@coppice/core/log';
import type { SearchRequest, SearchResult } from '@coppice/core/runtime';
import type { SimulatedSearch } from './contenders.ts';
import type { SettingName } from './profiles.ts';
import type { Difficulty, SimulatedQuestions } from './questions.ts';
import type { TraceUse } from './trace/trace-stream.ts';
import { traceStreamOf } from './trace/traced-questions.ts';

/**
 * Requests arrive at a mean rate (Poisson), all at once, or one after another, `together` (1) at a time.
 * `shaken` delays each by a few milliseconds; another number is another draw.
 */
export type Arrivals =
  | { readonly kind: 'rate'; readonly perSecond: number; readonly shaken?: number }
  | { readonly kind: 'backlog' }
  | { readonly kind: 'one-by-one'; readonly together?: number };

export interface Served {
  readonly arrivalMs: number;
  /** Undefined where it never started. */
  readonly admittedMs: number | undefined;
  readonly endedMs: number;
  readonly tokens: number;
  readonly rollouts: number;
  readonly correct: boolean;
  readonly exit: ExitKind;
  readonly difficulty: Difficulty;
}

export function tookMs({ arrivalMs, endedMs }: Served): number {
  return endedMs - arrivalMs;
}

/** The part of a result that speculation must not change. */
export function outcomeOf({ exit, rollouts, correct }: Served): string {
  return `${exit} ${rollouts} ${correct}`;
}

interface QuestionStream {
  readonly arrivals: Arrivals;
  /** Gives the gaps, scaled to the rate. */
  readonly trace?: TraceUse;
  readonly setting: SettingName;
  readonly seed: number;
}

/** Less than two decode steps. */
const mostShakenMs = 10;

/** Milliseconds from the start; not for requests that come one after another. */
export function arrivalTimesMs(
  { arrivals, trace, setting, seed }: QuestionStream,
  questions: readonly number[],
): number[] {
  if (arrivals.kind !== 'rate') return questions.map(() => 0);
  const { perSecond, shaken } = arrivals;
  if (trace !== undefined) return traceStreamOf(trace).arrivalsMs(questions.length, perSecond);
  let atMs = 0;
  return questions.map((question) => {
    atMs += (new Random(setting, seed, 'gap', question).exponential(1) * 1000) / perSecond;
    if (shaken === undefined) return atMs;
    return atMs + mostShakenMs * new Random(setting, seed, 'shaken', shaken, question).uniform();
  });
}

export function questionRequest(
  { built }: SimulatedSearch,
  model: SimulatedQuestions,
  question: number,
  id: string,
  deadlineMs?: number,
): SearchRequest {
  const prompt = model.promptOf(question);
  const due = deadlineMs === undefined ? {} : { deadlineMs: deadlineMs * model.difficulty(prompt) };
  const plan = { ...built.plan, ...due, prompt, seed: hash(JSON.stringify(prompt)) };
  return requestOf({ ...built, plan }, id, model.extract);
}

/** Leaves `tokens` at 0: the caller sets them once the engine has reported them. */
export function servedOf(result: SearchResult, model: SimulatedQuestions, question: number): Served {
  return {
    arrivalMs: result.arrivalMs,
    admittedMs: result.admittedMs,
    endedMs: result.endedMs,
    rollouts: result.rollouts,
    exit: result.exit.kind,
    tokens: 0,
    difficulty: model.difficulty(model.promptOf(question)),
    correct: result.answer?.complete === true && model.isRight(model.promptOf(question), result.answer.answer),
  };
}
