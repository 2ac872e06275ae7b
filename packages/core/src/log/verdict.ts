// The verdict on an answer: one word and one sentence, from the answer, what scored it and the threshold. The
// terminal, the exit status, HTTP and the page all say this one; no other part decides it. Pure.

import type { Answer } from './end.ts';

export const verdicts = [
  'accepted', // a finished path that reached the threshold
  'below-threshold', // the best attempt: finished, scored, and not good enough
  'unscored', // finished, and nothing has judged it
  'none', // no path was finished, or none says what the question asks for; a text, if there is one, is an attempt
] as const;
export type Verdict = (typeof verdicts)[number];

/** Judges of an answer: only a `verifier` knows more than the model that wrote it. */
export const scorings = ['verifier', 'confidence', 'self-consistency', 'none'] as const;
export type ScoredBy = (typeof scorings)[number];

export interface Judged {
  readonly answer: Pick<Answer, 'answer' | 'complete' | 'score' | 'support' | 'unsaid'> | undefined;
  readonly scoring: ScoredBy;
  readonly threshold: number;
}

export function verdictOf({ answer, scoring, threshold }: Judged): Verdict {
  if (answer === undefined || !answer.complete || answer.unsaid) return 'none';
  if (scoring !== 'verifier' || answer.score === undefined) return 'unscored';
  return answer.score >= threshold ? 'accepted' : 'below-threshold';
}

/** The score that a person may read: of a verifier, or none. */
export function shownScore({ answer, scoring }: Judged): number | undefined {
  return scoring === 'verifier' ? answer?.score : undefined;
}

export function verdictText(judged: Judged): string {
  return `${wordOf(judged)}${unread(judged)}`;
}

/** An answer that nothing marks cannot be compared or checked: a reader of the verdict must know that the text is all there is. */
function unread({ answer }: Judged): string {
  return answer?.complete && answer.answer === undefined && !answer.unsaid
    ? '; nothing in it is marked as the answer: the text stands for itself'
    : '';
}

function wordOf(judged: Judged): string {
  const { answer, threshold } = judged;
  const score = shownScore(judged);
  switch (verdictOf(judged)) {
    case 'accepted':
      return `accepted: score ${roundedScore(score)}, threshold ${threshold}`;
    case 'below-threshold':
      return `not accepted: this is the best attempt, and its score ${roundedScore(score)} is below the threshold ${threshold}`;
    case 'unscored':
      return `unscored: ${judgement(judged)}`;
    case 'none':
      if (answer?.unsaid) return 'no answer: no path says one; this is the text of the best';
      return answer === undefined ? 'no answer' : 'no answer: no path was finished; this is the beginning of one';
  }
}

function judgement({ answer, scoring }: Judged): string {
  const votes = answer?.support === undefined ? '' : `, ${(100 * answer.support).toFixed(0)} % of the vote`;
  const judge = scoring === 'confidence' ? "only the model's own confidence speaks for it" : 'nothing has judged it';
  return `${judge}${votes}`;
}

export function shortScore(score: number): string {
  return (Math.floor(score * 100 + 1e-9) / 100).toFixed(2);
}

/** Rounded down, so that a score below the threshold is never shown as the threshold. */
export function roundedScore(score = 0): string {
  return score > 0 && score < 0.001 ? '<0.001' : (Math.floor(score * 1000 + 1e-9) / 1000).toFixed(3);
}
