// Measures how far a judge agrees with known labels: one right and one wrong step of small exercises, rated alone and in pairs of both
// orders. It tells a judge that cannot judge from one that can, and no more: hard problems need labels of your own.

import { probe } from '@coppice/core/engine';
import { Connection } from '@coppice/core/remote';
import { JudgeScorer, type ScoringServer } from '@coppice/core/verifier';
import { type Finding, good, warning } from './findings.ts';

interface LabelledSteps {
  readonly question: string;
  readonly right: string;
  readonly wrong: string;
}

export const labelled: readonly LabelledSteps[] = [
  { question: 'What is 17 * 6?', right: '17 * 6 = 102.', wrong: '17 * 6 = 112.' },
  { question: 'What is 15 % of 80?', right: '0.15 * 80 = 12.', wrong: '80 / 15 = 5.33.' },
  {
    question: 'A shirt of $40 is sold at 25 % off. What does it cost?',
    right: '40 - 10 = 30 dollars.',
    wrong: '40 - 25 = 15 dollars.',
  },
  {
    question: 'A train drives 180 km in 3 hours. How fast is it?',
    right: '180 / 3 = 60 km an hour.',
    wrong: '180 * 3 = 540 km an hour.',
  },
  { question: 'Solve 3x + 5 = 20.', right: '3x = 15, so x = 5.', wrong: '3x = 25, so x = 25/3.' },
  { question: 'What is the area of a rectangle of 7 by 9?', right: '7 * 9 = 63.', wrong: '2 * (7 + 9) = 32.' },
  { question: 'How many minutes are 2.5 hours?', right: '2.5 * 60 = 150 minutes.', wrong: '2.5 * 100 = 250 minutes.' },
  { question: 'What is the mean of 4, 8 and 12?', right: '(4 + 8 + 12) / 3 = 8.', wrong: '(4 + 8 + 12) / 2 = 12.' },
  { question: 'What is 2^5?', right: '2 * 2 * 2 * 2 * 2 = 32.', wrong: '2 * 5 = 10.' },
  {
    question: 'Of 30 pupils 2/5 are absent. How many are there?',
    right: '30 * 3/5 = 18 are there.',
    wrong: '30 * 2/5 = 12 are there.',
  },
  { question: 'What is 1/2 + 1/3?', right: '3/6 + 2/6 = 5/6.', wrong: '(1 + 1) / (2 + 3) = 2/5.' },
  {
    question: 'What is the next prime after 13?',
    right: '14, 15 and 16 are no primes, 17 is.',
    wrong: '15 is odd, so it is 15.',
  },
];

export interface JudgeAgreement {
  /** Share of pairs of a right and a wrong step, over all exercises, that are rated in the right order; ties count half. */
  readonly order: number;
  /** Exercises whose two steps have one rating. */
  readonly ties: number;
  /** Exercises whose right step was preferred in both orders, and those on which the orders contradict each other. */
  readonly pairs: number;
  readonly contradictions: number;
}

export async function measureJudge(
  judge: JudgeScorer,
  server: ScoringServer,
  signal: AbortSignal,
): Promise<JudgeAgreement> {
  const rate = async (question: string, step: string): Promise<number> => {
    const prompt = { kind: 'chat', messages: [{ role: 'user', content: question }] } as const;
    return (await judge.score([{ prompt, steps: [step] }], server, signal)).rewards[0]!;
  };
  const rated = await Promise.all(
    labelled.map(async ({ question, right, wrong }) => ({
      right: await rate(question, right),
      wrong: await rate(question, wrong),
    })),
  );
  const compared = await Promise.all(
    labelled.map(({ question, right, wrong }) =>
      judge.compare({ question, first: right, second: wrong }, server, signal),
    ),
  );
  return {
    order: orderOf(
      rated.map(({ right }) => right),
      rated.map(({ wrong }) => wrong),
    ),
    ties: rated.filter(({ right, wrong }) => right === wrong).length,
    pairs: compared.filter(({ first, agrees }) => agrees && first > 0.5).length,
    contradictions: compared.filter(({ agrees }) => !agrees).length,
  };
}

/** The area under the curve: the chance that a right one is rated above a wrong one. */
function orderOf(right: readonly number[], wrong: readonly number[]): number {
  const wins = right.flatMap((a) => wrong.map((b) => (a > b ? 1 : a === b ? 0.5 : 0)));
  return wins.reduce<number>((sum, each) => sum + each, 0) / wins.length;
}

/** Below this AUC a judge is hardly better than chance. */
const leastOrder = 0.8;

export function agreementFinding({ order, ties, pairs, contradictions }: JudgeAgreement): Finding {
  const all = labelled.length;
  const said =
    `of ${2 * all} steps with known labels it rates a right one above a wrong one in ${(100 * order).toFixed(0)} % of cases (${ties} of ${all} tie); ` +
    `in pairs it names the right one of ${pairs} of ${all} in both orders, and contradicts itself on ${contradictions}`;
  return order >= leastOrder ? good(said) : warning(`${said}: its scores mean little`);
}

/** Opens the first of its servers, asks, and closes it. */
export async function judgeFinding(
  address: { readonly url: string; readonly apiKey?: string },
  timeoutMs: number,
): Promise<Finding> {
  const connection = new Connection(address);
  try {
    const server: ScoringServer = { connection, facts: await probe(connection, { generates: false }), timeoutMs };
    return agreementFinding(await measureJudge(new JudgeScorer(), server, AbortSignal.timeout(timeoutMs)));
  } finally {
    connection.close();
  }
}
