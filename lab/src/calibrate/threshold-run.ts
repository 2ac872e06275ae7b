// Thresholds of certainty: on one half of the questions every search uses all it may while the candidates look on, and the best of
// them is chosen; on the other half the search runs without it and with it, and that is reported. The choice never sees the second half.

import type { SearchPlan } from '@coppice/core/answering';
import { raise } from '@coppice/core/base';
import { bestCandidate, fewestQuestions } from './best-candidate.ts';
import { type CandidateSettings, candidatesFor } from './candidates.ts';
import { halvesOf } from './halves.ts';
import { type AnswerPair, type PairedReport, reportOf } from './paired.ts';
import type { ShadowedSearch } from './shadow.ts';

export interface LabelledAnswers<Question> {
  /** Each question with all that its search may use, and where each candidate would have ended it. */
  shadow(questions: readonly Question[], candidates: readonly CandidateSettings[]): Promise<ShadowedSearch[]>;
  /** Each question without any candidate, and with one. */
  pairs(questions: readonly Question[], settings: CandidateSettings): Promise<AnswerPair[]>;
}

export interface ThresholdRun<Question> {
  readonly questions: readonly Question[];
  textOf(question: Question): string;
  readonly answers: LabelledAnswers<Question>;
  readonly candidates: readonly CandidateSettings[];
  readonly search: ChosenThresholds['search'];
  /** Points of accuracy that may be lost. */
  readonly lossBudget: number;
  readonly seed: number;
}

/** A rule with its thresholds, on what it was chosen, and what it gave on other questions. */
export interface ChosenThresholds {
  readonly search: Pick<SearchPlan, 'program' | 'rollouts'>;
  readonly settings: CandidateSettings;
  readonly lossBudget: number;
  readonly chosen: { readonly questions: number; readonly pointsLost: number; readonly tokensSaved: number };
  readonly reported: PairedReport;
}

/** Tries every rule of certainty that the program of a plan can end by. */
export function thresholdRunOf(
  { program, rollouts }: SearchPlan,
  lossBudget: number,
  seed: number,
): Omit<ThresholdRun<never>, 'questions' | 'textOf' | 'answers'> {
  return { search: { program, rollouts }, candidates: candidatesFor(program, rollouts), lossBudget, seed };
}

export async function calibrateThresholds<Question>(run: ThresholdRun<Question>): Promise<ChosenThresholds> {
  const { answers, candidates, search, lossBudget } = run;
  const { choosing, reporting } = halvesOf(run.questions, (question) => run.textOf(question), run.seed);
  const fewest = fewestQuestions(lossBudget);
  if (choosing.length < fewest || reporting.length === 0) refuseFew(choosing.length, fewest, lossBudget);
  const found = bestCandidate(await answers.shadow(choosing, candidates), candidates.length, lossBudget);
  if (found === undefined) {
    const tried = `of ${candidates.length} settings none saves tokens within ${lossBudget} points on ${choosing.length} questions`;
    return raise('bad-setting', `${tried}; allow more (--loss), or ask more questions`);
  }
  const settings = candidates[found.candidate]!;
  const pairs = await answers.pairs(reporting, settings);
  return {
    search,
    settings,
    lossBudget,
    chosen: { questions: choosing.length, pointsLost: found.pointsLost, tokensSaved: found.tokensSaved },
    reported: reportOf(pairs),
  };
}

function refuseFew(questions: number, fewest: number, lossBudget: number): never {
  const needs = Number.isFinite(fewest)
    ? `at least ${fewest} are needed in that half, about ${2 * fewest} in all`
    : 'no number is enough';
  return raise(
    'bad-setting',
    `${questions} questions to choose on cannot show a loss of ${lossBudget} points (--loss): ${needs}`,
  );
}
