// Is this a reward model, and is it read in the right way? Sums whose right answer is known are scored before the first search;
// a model that cannot tell the right ones from the wrong ones guides a search nowhere, and says so in no other way.

import { FaultError, fault } from '../base/fault.ts';
import type { Prompt } from '../tree/step.ts';
import type { ScoreRequest, Verifier } from './verifier.ts';

/** Means over the sums. */
export interface ProbedRewards {
  readonly right: number;
  readonly wrong: number;
}

/** Four, since one may come out right by luck: two in a hundred do with models that never saw a verdict. */
const sums = [
  [2, 3],
  [8, 7],
  [6, 5],
  [9, 4],
] as const;
/**
 * Measured over all sums of two digits (docs/decisions/0083): of four at a time, models that are no reward models lead by
 * 0.1 at most, a reward model that is read as it was trained by 0.98 at least.
 */
const leastLead = 0.2;

interface ProbedLine {
  readonly question: string;
  readonly text: string;
}

/** Scores a right and a wrong line for each sum, ended as the steps of a search are. No runtime may be connected yet. */
export async function probeSteps(verifier: Verifier, delimiter: string, mostMs?: number): Promise<ProbedRewards> {
  const lines = sums.flatMap(([a, b]) =>
    [a + b, a + b + 1].map((sum) => ({ question: `What is ${a} + ${b}?`, text: `${a} + ${b} = ${sum}${delimiter}` })),
  );
  const rewards = await scoreAll(verifier, lines, mostMs);
  const mean = (first: 0 | 1) => sums.reduce((sum, _, at) => sum + rewards[2 * at + first]!, 0) / sums.length;
  return { right: mean(0), wrong: mean(1) };
}

function scoreAll(
  verifier: Verifier,
  lines: readonly ProbedLine[],
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

function requestOf({ question, text }: ProbedLine, at: number): ScoreRequest {
  const prompt: Prompt = { kind: 'chat', messages: [{ role: 'user', content: question }] };
  const step = { text, tokens: text.length, meanLogprob: 0, end: 'delimiter' } as const;
  const place = { search: 'probe', prompt, parent: Math.floor(at / 2), index: at, path: [] };
  return { id: at, ...place, step, lane: 'primary', priority: 0 };
}

/** One line where the rewards say that this is no reward model; nothing where they tell right from wrong. */
export function probeWarning(name: string, { right, wrong }: ProbedRewards, remedy: string): string | undefined {
  if (right - wrong >= leastLead) return undefined;
  const read = `'2 + 3 = 5' and the like ${right.toFixed(2)}, '2 + 3 = 6' and the like ${wrong.toFixed(2)}`;
  return `${name} does not tell right steps from wrong ones (${read}), so its scores mean little: ${remedy}`;
}
