// The verdict on an answer: one word and one sentence, from the answer, what scored it, the threshold and how likely it is right. The
// terminal, the exit status, HTTP and the page all say this one; no other part decides it. Pure.

import type { Answer } from './end.ts';

export const verdicts = [
  'accepted', // a checker or a test says so, or the score reaches a threshold that was named
  'confident', // right in 90 % of such cases or more
  'likely', // right in 60 % or more
  'unsure', // less, or nothing tells
  'none', // no path was finished, or none says what the question asks for; a text, if there is one, is an attempt
] as const;
export type Verdict = (typeof verdicts)[number];

export const confidentFrom = 0.9;
const likelyFrom = 0.6;

/** `on_unaccepted` acts on these verdicts. */
export function isDoubtful(verdict: Verdict): boolean {
  return verdict === 'unsure' || verdict === 'none';
}

/** A verdict of a journal. Older ones held every score against the threshold and called others `below-threshold` or `unscored`. */
export function writtenVerdict(word: string): Verdict {
  return verdicts.find((each) => each === word) ?? 'unsure';
}

/** Judges of an answer: only a `verifier` knows more than the model that wrote it. */
export const scorings = ['verifier', 'confidence', 'self-consistency', 'none'] as const;
export type ScoredBy = (typeof scorings)[number];

/** A score at the threshold is a checker's or a test's word; is what somebody named; accepts nothing. */
export type ScoreAcceptance = 'checked' | 'named' | 'never';

export interface Judged {
  readonly answer:
    | Pick<Answer, 'answer' | 'complete' | 'score' | 'support' | 'unsaid' | 'samples' | 'confidence'>
    | undefined;
  readonly scoring: ScoredBy;
  readonly threshold: number;
  /** Older plans lack it, and mean `named`. */
  readonly accepts?: ScoreAcceptance | undefined;
}

export function verdictOf(judged: Judged): Verdict {
  const { answer, threshold, accepts } = judged;
  const score = shownScore(judged);
  if (answer === undefined || !answer.complete || answer.unsaid) return 'none';
  if (score !== undefined && score >= threshold && accepts !== 'never') return 'accepted';
  const confidence = isRefuted(judged) ? 0 : (answer.confidence ?? 0);
  if (confidence >= confidentFrom) return 'confident';
  return confidence >= likelyFrom ? 'likely' : 'unsure';
}

/** A vote never overrules a checker's refusal. */
function isRefuted(judged: Judged): boolean {
  return judged.accepts === 'checked' && shownScore(judged) !== undefined;
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
  const verdict = verdictOf(judged);
  switch (verdict) {
    case 'accepted':
      return `accepted: score ${roundedScore(answer?.score)}, threshold ${threshold}`;
    case 'none':
      if (answer?.unsaid) return 'no answer: no path says one; this is the text of the best';
      return answer === undefined ? 'no answer' : 'no answer: no path was finished; this is the beginning of one';
    default:
      return `${verdict}: ${reasonOf(judged)}`;
  }
}

function reasonOf(judged: Judged): string {
  const { answer, scoring, threshold, accepts } = judged;
  const { support, samples, confidence } = answer ?? {};
  const score = shownScore(judged);
  const below = accepts === 'never' || (score ?? 0) >= threshold ? '' : ` is below the threshold ${threshold}`;
  const judge = scoring === 'confidence' ? "only the model's own confidence speaks for it" : 'nothing has judged it';
  const told = [
    score === undefined ? undefined : `score ${roundedScore(score)}${below}`,
    support !== 0 && votesText(support, samples),
    confidence !== undefined && !isRefuted(judged) && `about ${percent(confidence)} of such answers are right`,
  ];
  return told.filter(Boolean).join('; ') || judge;
}

function votesText(support: number | undefined, samples: number | undefined): string {
  const all = samples === 1 ? 'one sample' : samples && `${samples} samples`;
  if (support === undefined || samples === 1) return all || '';
  return [`${percent(support)} of the vote`, all].filter(Boolean).join(' of ');
}

function percent(share: number): string {
  return `${(100 * share).toFixed(0)} %`;
}

export function shortScore(score: number): string {
  return (Math.floor(score * 100 + 1e-9) / 100).toFixed(2);
}

/** Rounded down, so that a score below the threshold is never shown as the threshold. */
export function roundedScore(score = 0): string {
  return score > 0 && score < 0.001 ? '<0.001' : (Math.floor(score * 1000 + 1e-9) / 1000).toFixed(3);
}
