// A block of questions answered by one contender (a program under a policy) on a real engine: so many searches at a time,
// results handed over one by one as they end. Whoever compares contenders lets them take turns, block by block.

import type { GoldQuestion } from '../../answering/question-file.ts';
import type { QuestionForm } from '../../answering/question-form.ts';
import { hash } from '../../base/random.ts';
import type { Engine } from '../../engine/engine.ts';
import { createPolicy } from '../../policy/create.ts';
import type { PolicyName } from '../../policy/policy.ts';
import type { Choice } from '../../program/choice.ts';
import { createProgram, type ProgramName } from '../../program/registry/programs.ts';
import { LiveLoop, systemClock } from '../../runtime/live.ts';
import type { SearchRequest, SearchResult } from '../../runtime/request.ts';
import { Runtime } from '../../runtime/runtime.ts';
import type { Verifier } from '../../verifier/verifier.ts';

export interface Contender {
  readonly name: string;
  readonly program: ProgramName;
  readonly policy: PolicyName;
  readonly rollouts: number;
}

export interface ContestSettings {
  readonly branching: number;
  readonly threshold: number;
  readonly choose: Choice;
  /** Strands open at a time, over all searches. */
  readonly budget: number;
  /** Searches at a time. */
  readonly concurrency: number;
  readonly seed: number;
  readonly temperature?: number;
}

/** One question answered by one contender. */
export interface Trial {
  readonly contender: string;
  readonly question: string;
  readonly answer: string | null;
  readonly correct: boolean;
  readonly solvable: boolean;
  readonly exit: string;
  readonly score: number | null;
  readonly latencyMs: number;
  readonly generatedTokens: number;
  readonly scoredTokens: number;
  readonly rollouts: number;
}

export interface Contest {
  readonly engine: Engine;
  readonly verifier: Verifier;
  readonly settings: ContestSettings;
  formOf(question: GoldQuestion): QuestionForm;
  isCorrect(question: GoldQuestion, answer: string | undefined): boolean;
}

export interface ContestJob {
  readonly contender: Contender;
  readonly question: GoldQuestion;
}

/** Answers the questions with one contender; resolves when all have been and the engine has nothing left of them. */
export async function runBlock(
  contest: Contest,
  contender: Contender,
  questions: readonly GoldQuestion[],
  onTrial: (trial: Trial) => void,
): Promise<void> {
  await answerAll(contest, contender, questions, onTrial);
  // Cancelled requests may still be on their way; the next runtime numbers its own from 0 again.
  while (outstanding(contest) > 0) await new Promise(setImmediate);
}

function outstanding({ engine, verifier }: Contest): number {
  const { runningSequences, waitingSequences } = engine.load();
  return runningSequences + waitingSequences + verifier.load().waiting;
}

function answerAll(
  contest: Contest,
  contender: Contender,
  questions: readonly GoldQuestion[],
  onTrial: (trial: Trial) => void,
): Promise<void> {
  const { settings } = contest;
  const policy = createPolicy(contender.policy);
  const loop = new LiveLoop();
  const waiting = questions.map((question) => ({ contender, question })).reverse();
  const live = new Map<string, ContestJob>();
  return new Promise((resolve, reject) => {
    const runtime = new Runtime({
      engine: contest.engine,
      verifier: contest.verifier,
      scheduler: policy.scheduler,
      budget: settings.budget,
      clock: systemClock,
      wake: loop.wake,
      onEnd: (result) => {
        const job = live.get(result.id)!;
        live.delete(result.id);
        onTrial(trialOf(contest, job, result));
        refill();
      },
    });
    const refill = (): void => {
      try {
        for (let job = waiting.pop(); job !== undefined; job = waiting.pop()) {
          const request = requestOf(contest, job, policy.rules);
          live.set(request.id, job);
          runtime.submit(request);
          if (live.size >= settings.concurrency) return;
        }
      } catch (error) {
        loop.stop();
        reject(error);
      }
      if (live.size > 0) return;
      loop.stop();
      resolve();
    };
    refill();
    loop.drive(runtime);
  });
}

export function requestOf(
  contest: Pick<Contest, 'settings' | 'formOf'>,
  { contender, question }: ContestJob,
  rules: SearchRequest['rules'],
): SearchRequest {
  const { settings } = contest;
  const form = contest.formOf(question);
  const sampling = { temperature: settings.temperature ?? form.temperature };
  const { rollouts, program } = contender;
  const { branching, choose } = settings;
  const size = { rollouts, branching, maxDepth: form.maxDepth, sampling, choose };
  return {
    id: `${contender.name} ${question.id}`,
    prompt: form.prompt,
    program: createProgram(program, size),
    rules,
    limits: { threshold: settings.threshold, rollouts },
    seed: hash(settings.seed, question.id),
    priority: 0,
    delimiters: form.delimiters,
    maxStepTokens: form.maxStepTokens,
    extract: form.extract,
  };
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
    scoredTokens: cost.verifierTokens,
    rollouts: result.rollouts,
  };
}
