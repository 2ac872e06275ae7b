// The calibration of the exit of settled searches, on a real model or in the lab: `fast` searches each to its end, without the
// exits that give up, while what the exit would have read is noted. Fit, choice and report all come from these notes.

import type { GoldQuestion } from '../../answering/question-file.ts';
import { raise } from '../../base/fault.ts';
import type { CalibrationSection } from '../../calibration/calibration-file.ts';
import { calibrateHazard } from '../../calibration/hazard-choice.ts';
import { emptyNotes, hazardNoting, type NotedSearch, type OpenNotes } from '../../calibration/hazard-notes.ts';
import { withShadow } from '../../calibration/shadow.ts';
import type { SearchRequest } from '../../runtime/search/request.ts';
import type { Contender, Contest, ContestJob } from '../contest/contest.ts';
import { answered, standingOf } from './contest-answers.ts';
import type { ThresholdRun } from './threshold-run.ts';

/** What it is measured against: nothing gives up. */
export const nothingGivesUp = { negativeExit: 'off', settledExit: 'off' } as const;

export function settledSection(
  noted: readonly NotedSearch[],
  { search, lossBudget, seed }: Pick<ThresholdRun<never>, 'search' | 'lossBudget' | 'seed'>,
): CalibrationSection {
  const found = calibrateHazard(noted, lossBudget, seed);
  if ('refused' in found) return raise('bad-setting', `${found.refused}; allow more (--loss), or ask more questions`);
  return { kind: 'hazard', search, lossBudget, ...found };
}

/** On a real model, as many searches at a time as the contest has. */
export async function contestNotes(
  contest: Contest,
  contender: Contender,
  questions: readonly GoldQuestion[],
  onTrial: () => void,
): Promise<NotedSearch[]> {
  const notes = new Map<string, OpenNotes>();
  const observe = (request: SearchRequest, { question }: ContestJob): SearchRequest => {
    const own = emptyNotes();
    notes.set(question.id, own);
    const isRight = (text: string | undefined) => question.solvable && contest.isCorrect(question, text);
    const exits = withShadow(request.rules.exits, hazardNoting({ program: request.program, isRight }, own));
    return { ...request, rules: { ...request.rules, exits } };
  };
  const full = await answered({ ...contest, observe }, { ...contender, parts: nothingGivesUp }, questions, onTrial);
  return questions.map(({ id, question }) => ({ question, full: standingOf(full.get(id)!), ...notes.get(id)! }));
}
