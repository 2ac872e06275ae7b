// The calibration of certainty, on a real model or in the lab: on one half every search uses all it may while the candidates look
// on, and the best of them is chosen; on the other half the search is run without it and with it, and that is what is
// reported. The choice never sees the second half.

import type { SearchPlan } from '../../answering/plan/search-plan.ts';
import { raise } from '../../base/fault.ts';
import { bestCandidate, fewestQuestions } from '../../calibration/best-candidate.ts';
import type { CalibratedSearch, CalibrationSection } from '../../calibration/calibration-file.ts';
import { type CandidateSettings, candidatesFor } from '../../calibration/candidates.ts';
import { halvesOf } from '../../calibration/halves.ts';
import { type AnswerPair, expectedOf, reportOf } from '../../calibration/paired.ts';
import type { ShadowedSearch } from '../../calibration/shadow.ts';

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
  readonly search: CalibratedSearch;
  /** Points of accuracy that may be lost. */
  readonly lossBudget: number;
  readonly seed: number;
}

/** For the searches of a plan: every rule of certainty that its program can end by. */
export function thresholdRunOf(
  plan: SearchPlan,
  lossBudget: number,
  seed: number,
): Omit<ThresholdRun<never>, 'questions' | 'textOf' | 'answers'> {
  const { program, programOptions: options, branching, choose, aggregation, rollouts } = plan;
  const search: CalibratedSearch = { program, options, branching, choose, aggregation, rollouts };
  return { search, candidates: candidatesFor(program, rollouts), lossBudget, seed };
}

export async function calibrateThresholds<Question>(run: ThresholdRun<Question>): Promise<CalibrationSection> {
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
    kind: 'certain',
    search,
    settings,
    lossBudget,
    chosen: { questions: choosing.length, pointsLost: found.pointsLost, tokensSaved: found.tokensSaved },
    reported: reportOf(pairs),
    expected: expectedOf(pairs),
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
