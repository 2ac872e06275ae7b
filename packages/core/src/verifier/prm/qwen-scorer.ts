// Qwen2.5-Math-PRM through vLLM's /pooling: `<extra_0>` closes each step and gets a pair of probabilities; the second says good. vLLM does
// not cache these prompts, so paths of all searches share a call.

import { isRecord } from '../../base/record.ts';
import { numberOrNaN, records } from '../../remote/wire-values.ts';
import { badReward, questionOf, type Scored, type ScoredPath, type Scorer, type ScoringServer } from '../scorer.ts';
import { tokensOf } from './verdict-token.ts';

const system = 'Please reason step by step, and put your final answer within \\boxed{}.';
const tag = '<extra_0>';
const specials = /<\|im_start\|>|<\|im_end\|>|<\|endoftext\|>|<extra_\d+>/g;

export const qwenScorer: Scorer = {
  name: 'qwen-prm',
  // The authors multiply the steps' scores (The Lessons of Developing PRMs, best-of-n evaluation).
  aggregation: 'product',
  reusesPrefix: false,
  looksAhead: true,
  mixes: () => true,

  async score(paths, server, signal): Promise<Scored> {
    const { connection, facts, timeoutMs } = server;
    const body = { model: facts?.model, input: paths.map(renderQwen) };
    const answer = await connection.json('POST', '/pooling', body, { timeoutMs, signal });
    const data = isRecord(answer) ? records(answer.data) : [];
    const byIndex = new Map(data.map((each) => [each.index, each.data]));
    const goodness = paths.map((path, index) => lastGoodness(byIndex.get(index), path, server));
    const rewards = goodness.map((each) => each.at(-1)!);
    return { rewards, before: goodness.map((each) => each.slice(0, -1)), ...tokensOf(answer) };
  },
};

/** User text must not close a turn or add a tag. */
export function renderQwen({ prompt, steps }: ScoredPath): string {
  const clean = (text: string): string => text.replace(specials, '');
  const tagged = steps.map((step) => `${clean(step)}${tag}`).join('');
  const turns = [
    ['system', system],
    ['user', clean(questionOf(prompt))],
    ['assistant', tagged],
  ];
  return turns.map(([role, content]) => `<|im_start|>${role}\n${content}<|im_end|>\n`).join('');
}

function lastGoodness(pairs: unknown, { steps, wanted = 1 }: ScoredPath, server: ScoringServer): number[] {
  if (!Array.isArray(pairs)) return badReward(server, `gave no scores for one of the paths`);
  if (pairs.length !== steps.length) return badReward(server, `gave ${pairs.length} scores for ${steps.length} steps`);
  return pairs.slice(-wanted).map((pair: unknown) => {
    if (!Array.isArray(pair) || pair.length !== 2) return badReward(server, 'gave scores that are not pairs');
    return numberOrNaN(pair[1]);
  });
}
