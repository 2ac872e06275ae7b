// Is this a reward model, and is it read in the right way? Two steps that anybody can judge are scored before the first
// search; a model that cannot tell them apart guides a search nowhere, and says so in no other way.

import { FaultError } from '../base/fault.ts';
import type { Prompt } from '../tree/step.ts';
import type { ScoreRequest, Verifier } from './verifier.ts';

export interface ProbedRewards {
  readonly right: number;
  readonly wrong: number;
}

const prompt: Prompt = { kind: 'chat', messages: [{ role: 'user', content: 'What is 2 + 3?' }] };
const rightLine = '2 + 3 = 5';
const wrongLine = '2 + 3 = 6';
/** A reward model of any use is surer than this of a sum of two digits. */
const leastGap = 0.2;

/** Scores both lines, each ended as the steps of a search are. Nobody else may be connected yet. */
export async function probeSteps(verifier: Verifier, delimiter: string): Promise<ProbedRewards> {
  const [right, wrong] = await scoreAll(
    verifier,
    [rightLine, wrongLine].map((line) => line + delimiter),
  );
  return { right: right!, wrong: wrong! };
}

function scoreAll(verifier: Verifier, lines: readonly string[]): Promise<readonly number[]> {
  const rewards: number[] = [];
  let missing = lines.length;
  return new Promise((resolve, reject) => {
    verifier.connect((message) => {
      if (message.type === 'fault') reject(new FaultError(message.fault));
      if (message.type !== 'score') return;
      rewards[message.request] = message.reward;
      missing -= 1;
      if (missing > 0) return;
      verifier.release('probe');
      resolve(rewards);
    });
    verifier.score(lines.map(requestOf));
  });
}

function requestOf(text: string, at: number): ScoreRequest {
  const step = { text, tokens: text.length, meanLogprob: 0, end: 'delimiter' } as const;
  const place = { search: 'probe', prompt, parent: 0, index: at, path: [] };
  return { id: at, ...place, step, lane: 'primary', priority: 0 };
}

/** One line where the rewards say that this is no reward model; nothing where they tell right from wrong. */
export function probeWarning(name: string, { right, wrong }: ProbedRewards, remedy: string): string | undefined {
  if (right - wrong >= leastGap) return undefined;
  const read = `'${rightLine}' ${right.toFixed(2)}, '${wrongLine}' ${wrong.toFixed(2)}`;
  return `${name} does not tell a right step from a wrong one (${read}), so its scores mean little: ${remedy}`;
}
