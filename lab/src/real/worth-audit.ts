// How far a judge can be trusted without labels, as coppice estimates it (core: tree/readings/audit.ts, log/agreement.ts), and against labels for comparison.

import { JudgeAudits } from '@coppice/core/log';
import { auditSamples } from '@coppice/core/tree';
import type { VoteQuestion } from './worth-course.ts';

export interface JudgeAudit {
  /** Questions that count. */
  readonly split: number;
  /** AUC within a question, mean over pairs: by agreement with the majority, and by labels over all questions. */
  readonly agreed: number;
  readonly labelled: number;
  /** s; undefined while too few questions count. */
  readonly trust: number | undefined;
}

/** Every question is a search of its own. */
export function auditOf(questions: readonly VoteQuestion[]): JudgeAudit {
  const rows = questions.map(({ answers, scores }) => {
    const samples = Array.from(answers, (answer, at) => ({
      meaning: answer < 0 ? undefined : String(answer),
      score: scores[at]!,
    }));
    return { owner: 'lab', audit: auditSamples(samples) };
  });
  const { questions: split, agreement = Number.NaN, trust } = new JudgeAudits(rows).judge;
  return { split, agreed: agreement, labelled: labelledAuc(questions), trust };
}

/** A sample without an answer is a wrong one; one without a reading says nothing. */
function labelledAuc(questions: readonly VoteQuestion[]): number {
  let [won, pairs] = [0, 0];
  for (const { answers, scores, right } of questions) {
    const read = [...scores.keys()].filter((at) => !Number.isNaN(scores[at]!));
    const { good = [], bad = [] } = Object.groupBy(read, (at) => (right[answers[at]!] === 1 ? 'good' : 'bad'));
    for (const high of good)
      for (const low of bad) {
        pairs += 1;
        won += (1 + Math.sign(scores[high]! - scores[low]!)) / 2;
      }
  }
  return won / pairs;
}

const [leastShare, mostShare] = [0.5, 0.95];

/** The leading answer if it leads alone and has 50 to 95 % of the samples. */
export function majorityOf({ answers, right }: VoteQuestion): number | undefined {
  const votes = Array.from(right, (_, answer) => answers.reduce((sum, each) => sum + Number(each === answer), 0));
  const [first = 0, second = 0] = votes.toSorted((a, b) => b - a);
  const share = first / answers.length;
  return first > second && share >= leastShare && share <= mostShare ? votes.indexOf(first) : undefined;
}
