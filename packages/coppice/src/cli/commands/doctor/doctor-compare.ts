// `doctor --compare`: chooses questions, runs the comparison while there is time, and prints its result. bench/doctor measures and
// evaluates.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fitConfidence } from '@coppice/core/answer';
import {
  confidenceFile,
  type GoldQuestion,
  isGradable,
  type OpenModel,
  ownPlan,
  readQuestions,
} from '@coppice/core/answering';
import type { OddsLine } from '@coppice/core/base';
import { budgetOf, type ModelConfig, shippedModel } from '@coppice/core/config';
import { JudgeAudits, judgeSentence } from '@coppice/core/log';
import { auditSamples } from '@coppice/core/tree';
import { type Advice, adviceOf, comparisonLines } from '../../../bench/doctor/advice.ts';
import { type CompareClock, type ComparedRun, compare } from '../../../bench/doctor/compare.ts';
import { type Comparison, comparisonOf } from '../../../bench/doctor/comparison.ts';
import { easySums } from '../../../bench/doctor/easy-sums.ts';
import { labelledStops } from '../../../bench/doctor/labelled-stops.ts';
import type { CurvePoint } from '../../../bench/doctor/step-time.ts';
import { duration, LiveBlock } from '../../terminal/terminal.ts';
import type { DoctorSettings } from './doctor-options.ts';

export interface ComparisonReport extends Comparison {
  readonly source: string;
  readonly advice: Advice;
  /** Agreement of the reward model with the vote of these samples. */
  readonly judge?: string;
  /** Fit of how likely answers are right, by these labels, in the form of `confidence.json`. */
  readonly confidence?: OddsLine;
}

const realClock: CompareClock = {
  nowMs: () => performance.now(),
  after: (delayMs) => AbortSignal.timeout(delayMs),
};

export async function runComparison(
  model: OpenModel,
  { source, all, questions }: AskedQuestions,
  settings: DoctorSettings,
  knee: CurvePoint | undefined,
  print: (line: string) => void,
): Promise<ComparisonReport | Advice> {
  if (questions.length === 0) return cannotSay(source, print);
  const { rollouts, samples, seed, minutes } = settings;
  const of = all > questions.length ? ` (of ${all}: the others have no known answer)` : '';
  print(`\ndoes a tree pay? ${questions.length} questions: ${source}${of}`);
  print(
    `${samples} samples, trees of ${rollouts} rollouts, seed ${seed}; ends after ${minutes} min, Ctrl-C ends it sooner`,
  );
  const interrupt = new AbortController();
  const onInterrupt = (): void => interrupt.abort();
  process.once('SIGINT', onInterrupt);
  const progress = new LiveBlock(process.stderr);
  const startMs = performance.now();
  const run = await compare({
    model,
    questions,
    wish: settings.wish,
    rollouts,
    samples,
    seed,
    budget: settings.budget ?? Math.max(knee?.sequences ?? 0, budgetOf(model.config)),
    limitMs: minutes * 60_000,
    clock: realClock,
    signal: interrupt.signal,
    onAnswered: (answered) => {
      const leftMs = minutes * 60_000 - (performance.now() - startMs);
      if (process.stderr.isTTY) progress.draw([`${answered} questions, ${duration(Math.max(0, leftMs))} left`]);
    },
  }).finally(() => {
    progress.clear();
    process.off('SIGINT', onInterrupt);
  });
  const found = comparisonOf(run, samples);
  const advice = adviceOf(found, questions.length - found.questions);
  if (found.questions > 0) print(answeredLine(found));
  for (const line of comparisonLines(found, scorerOf(model))) print(line);
  const judge = judgementOf(model, run);
  if (judge !== undefined) print(`\nwithout the known answers: ${judge}`);
  const confidence = confidenceOn(model, run, settings);
  if (confidence !== undefined) print(`\n${keptConfidence(confidence, model)}`);
  print(`\n${advice.text}`);
  return { source, ...found, advice, ...(judge !== undefined && { judge }), ...(confidence && { confidence }) };
}

function confidenceOn(model: OpenModel, { questions }: ComparedRun, { seed }: DoctorSettings): OddsLine | undefined {
  const { price } = ownPlan(model, questions[0]?.id ?? '', { program: 'auto' }, seed);
  return fitConfidence(questions.map(({ samples }) => labelledStops(samples, price ?? 0, isJudged(model))));
}

/** Writes the fit to the operator's folder, if there is one; searches read it from there. */
function keptConfidence(confidence: OddsLine, { config }: OpenModel): string {
  const said = `how likely an answer is right, by these labels: ${JSON.stringify(confidence)}`;
  if (config.prompts === undefined)
    return `${said}; keep that as ${confidenceFile} in a folder, name it as \`prompts\` of the model, and verdicts go by it`;
  writeFileSync(join(config.prompts, confidenceFile), `${JSON.stringify(confidence)}\n`);
  return `${said}; ${join(config.prompts, confidenceFile)} holds it, and verdicts go by it`;
}

function isJudged({ verifier }: OpenModel): boolean {
  return verifier !== undefined && !verifier.capabilities.readsLogprobs;
}

function judgementOf(model: OpenModel, { questions }: ComparedRun): string | undefined {
  if (!isJudged(model)) return undefined;
  const rows = questions.map(({ samples }) => {
    const read = samples.map(({ meaning, scores }) => ({ meaning, score: scores.last }));
    return { owner: 'doctor', audit: auditSamples(read) };
  });
  return judgeSentence(new JudgeAudits(rows).judge, model.config.trust);
}

function answeredLine({ questions, failed, elapsedMs }: Comparison): string {
  const trouble = failed === 0 ? '' : `; ${failed} failed on a server and are left out`;
  return `${questions} questions answered by all in ${duration(elapsedMs)}${trouble}; tokens per question, 95 % intervals paired by question:`;
}

function scorerOf({ config }: OpenModel): string {
  if (config.verifier.kind === 'confidence') return "the model's own confidence (no reward model was given)";
  return config.verifier.kind === 'judge' ? 'the judge' : 'the reward model';
}

function cannotSay(source: string, print: (line: string) => void): Advice {
  const text = `${source} has no known answers, so doctor cannot say how often the model is right, whether the reward model tells right from wrong, or whether a tree pays; give each line an "answer"`;
  print(`\n${text}`);
  return { kind: 'unsuitable', text };
}

export type AskedQuestions = ReturnType<typeof chosenQuestions>;

/** `all`: number of questions, with known answers or without. */
export function chosenQuestions({ engine }: Pick<ModelConfig, 'engine'>, { questions: file, seed }: DoctorSettings) {
  const path = file ?? shippedModel(engine)?.questions;
  if (path === undefined)
    return { source: 'easy word problems of our own (--questions FILE for yours)', ...gradable(easySums(seed)) };
  return { source: path.split('/').at(-1)!, ...gradable(readQuestions(path, 'known or not')) };
}

/** Leaves out puzzles without a solution. */
function gradable(all: readonly GoldQuestion[]) {
  return { all: all.length, questions: all.filter((each) => each.solvable && isGradable(each)) };
}
