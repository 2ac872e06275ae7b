// Whether the questions of a comparison were like those that a model's calibration was made from: what `serve` warns of while it runs,
// said at the end of a run.

import type { GoldQuestion } from '../../answering/question-file.ts';
import { SectionWatch } from '../../calibration/section-watch.ts';
import { type Contender, type Contest, contestPlan, type Trial } from './contest.ts';

/** Every contender by itself: nothing for one that no section has set something for, or that answered too few questions. */
export function driftLines(
  contest: Contest,
  contender: Contender,
  questions: readonly GoldQuestion[],
  trials: readonly Trial[],
): string[] {
  const { calibration } = contest.model;
  const [question] = questions;
  if (calibration === undefined || question === undefined) return [];
  const watch = new SectionWatch(calibration);
  const plan = contestPlan(contest, { contender, question });
  for (const { exit, generatedTokens: tokens } of trials) watch.ended(plan, { exit, tokens });
  return watch.findings.map(({ drifted, text }) => `${drifted ? 'warning: ' : ''}${contender.name}: ${text}`);
}
