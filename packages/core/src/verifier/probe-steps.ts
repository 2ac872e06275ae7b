// Is this a reward model, read in the right way? Scores sums with known answers before the first search, and, if they tell nothing, whole
// solutions, which many reward models were trained on.

import { mean } from '../base/arithmetic.ts';
import { FaultError, fault } from '../base/fault.ts';
import { type NodeKey, nodeKey } from '../tree/keys.ts';
import type { Prompt, Step } from '../tree/step.ts';
import type { ScoreRequest, Verifier } from './verifier.ts';

interface RewardPair {
  readonly right: number;
  readonly wrong: number;
}

export interface ProbedRewards extends RewardPair {
  readonly solutions?: RewardPair;
}

/** Four, since one may come out right by luck: two in a hundred do without any training. */
const sums = [
  [2, 3],
  [8, 7],
  [6, 5],
  [9, 4],
] as const;
/** Each once right and once with a slip that the rest goes on from: for reward models that were trained on whole solutions. */
export const workedSolutions = [
  {
    question: 'A box holds 12 pencils. Ben buys 3 boxes and gives 8 pencils away. How many pencils does he keep?',
    right: ['The 3 boxes hold 3 * 12 = 36 pencils.', 'He keeps 36 - 8 = 28 pencils.', 'The answer is 28.'],
    wrong: ['The 3 boxes hold 3 * 12 = 46 pencils.', 'He keeps 46 - 8 = 38 pencils.', 'The answer is 38.'],
  },
  {
    question: 'Ines reads 15 pages a day for 4 days and 20 pages on the fifth day. How many pages has she read?',
    right: ['In 4 days she reads 4 * 15 = 60 pages.', 'With the fifth day that is 60 + 20 = 80.', 'The answer is 80.'],
    wrong: ['In 4 days she reads 4 * 15 = 60 pages.', 'With the fifth day that is 60 + 20 = 90.', 'The answer is 90.'],
  },
  {
    question: 'A jacket costs 80 euros and is reduced by 25 percent. How many euros do 2 of them cost?',
    right: ['25 percent of 80 is 20, so one costs 80 - 20 = 60.', 'Two cost 2 * 60 = 120.', 'The answer is 120.'],
    wrong: ['25 percent of 80 is 25, so one costs 80 - 25 = 55.', 'Two cost 2 * 55 = 110.', 'The answer is 110.'],
  },
  {
    question:
      'A tank of 90 litres is filled at 12 litres a minute while 3 litres a minute leak out. How many minutes does it take?',
    right: ['Each minute adds 12 - 3 = 9 litres.', 'It takes 90 / 9 = 10 minutes.', 'The answer is 10.'],
    wrong: ['Each minute adds 12 + 3 = 15 litres.', 'It takes 90 / 15 = 6 minutes.', 'The answer is 6.'],
  },
];

/** Over all sums of two digits (lab/docs/remote-engines-measured.md): no reward model leads by 0.1 at most, a right one by 0.98. */
const leastLead = 0.2;

interface ProbedStep {
  readonly question: string;
  readonly before: readonly string[];
  readonly text: string;
  readonly end: 'delimiter' | 'eos';
}

/** Call it before a runtime connects. */
export async function probeSteps(verifier: Verifier, delimiter: string, mostMs?: number): Promise<ProbedRewards> {
  const ofSums = pairOf(await scoreAll(verifier, sumSteps(delimiter), mostMs));
  if (leads(ofSums)) return ofSums;
  try {
    return { ...ofSums, solutions: pairOf(await scoreAll(verifier, solutionSteps(delimiter), mostMs)) };
  } catch (error) {
    // A context may be too short for solutions: then the sums stand alone.
    if (error instanceof FaultError) return ofSums;
    throw error;
  }
}

function sumSteps(delimiter: string): ProbedStep[] {
  return sums.flatMap(([a, b]) =>
    [a + b, a + b + 1].map((sum): ProbedStep => {
      const text = `${a} + ${b} = ${sum}${delimiter}`;
      return { question: `What is ${a} + ${b}?`, before: [], text, end: 'delimiter' };
    }),
  );
}

function solutionSteps(delimiter: string): ProbedStep[] {
  return workedSolutions.flatMap(({ question, right, wrong }) =>
    [right, wrong].map((steps): ProbedStep => {
      const before = steps.slice(0, -1).map((step) => step + delimiter);
      return { question, before, text: steps.at(-1)!, end: 'eos' };
    }),
  );
}

function pairOf(rewards: readonly number[]): RewardPair {
  const meanOf = (which: 0 | 1) => mean(rewards.filter((_, at) => at % 2 === which));
  return { right: meanOf(0), wrong: meanOf(1) };
}

function leads({ right, wrong }: RewardPair): boolean {
  return right - wrong >= leastLead;
}

function scoreAll(
  verifier: Verifier,
  lines: readonly ProbedStep[],
  mostMs: number | undefined,
): Promise<readonly number[]> {
  const rewards: number[] = [];
  let missing = lines.length;
  let timer: NodeJS.Timeout | undefined;
  const scored = new Promise<readonly number[]>((resolve, reject) => {
    if (mostMs !== undefined) {
      const late = fault('timeout', `it gave no scores within ${mostMs / 1000} s`);
      timer = setTimeout(() => reject(new FaultError(late)), mostMs);
    }
    verifier.connect((message) => {
      if (message.type === 'fault') reject(new FaultError(message.fault));
      if (message.type !== 'score') return;
      rewards[message.request] = message.reward;
      missing -= 1;
      if (missing === 0) resolve(rewards);
    });
    verifier.score(lines.map(requestOf));
  });
  return scored.finally(() => {
    clearTimeout(timer);
    verifier.cancel(lines.map((_, at) => at));
    verifier.release('probe');
  });
}

function requestOf({ question, before, text, end }: ProbedStep, at: number): ScoreRequest {
  const prompt: Prompt = { kind: 'chat', messages: [{ role: 'user', content: question }] };
  let parent: NodeKey = Math.floor(at / 2);
  const path = before.map((each) => {
    const step = stepOf(each, 'delimiter');
    parent = nodeKey(parent, step);
    return { key: parent, step };
  });
  const place = { search: 'probe', prompt, parent, index: at, path };
  return { id: at, ...place, step: stepOf(text, end), lane: 'primary', priority: 0 };
}

function stepOf(text: string, end: ProbedStep['end']): Step {
  return { text, tokens: text.length, meanLogprob: 0, end };
}

export function probeWarning(name: string, rewards: ProbedRewards, remedy: string): string | undefined {
  const { solutions } = rewards;
  if (leads(rewards) || (solutions !== undefined && leads(solutions))) return undefined;
  const said = (good: string, bad: string, { right, wrong }: RewardPair) =>
    `${good} ${right.toFixed(2)}, ${bad} ${wrong.toFixed(2)}`;
  const ofSums = said("'2 + 3 = 5' and the like", "'2 + 3 = 6' and the like", rewards);
  const read =
    solutions === undefined ? ofSums : `${ofSums}; ${said('right solutions in steps', 'wrong ones', solutions)}`;
  return `${name} does not tell right steps from wrong ones (${read}), so its scores mean little: ${remedy}`;
}
