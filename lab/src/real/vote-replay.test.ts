// Votes worked by hand: what each rule ends, what that costs, and what was generated for nothing.

import { describe, expect, it } from 'vitest';
import type { VotedSample } from './recorded-votes.ts';
import { replayVote } from './vote-replay.ts';
import { chooseDeepConf, voteRows } from './vote-table.ts';

/** One number for each token of each step: how sure the model was of it. */
function sample(answer: string | undefined, ...steps: number[][]): VotedSample {
  const made = steps.map((confidences) => ({
    tokens: confidences.length,
    confidences,
    reward: answer === '7' ? 0.9 : 0.2,
  }));
  return { answer, right: answer === '7', steps: made };
}

const sure = [9, 9];
const unsure = [1, 1];

describe('a vote over recorded samples', () => {
  it('takes all of them where no rule ends it', () => {
    const samples = [sample('7', sure, sure), sample('8', sure), sample('7', sure), sample(undefined, sure)];
    const alone = { open: 1, choose: 'vote' } as const;
    expect(replayVote(samples, alone)).toEqual({ right: true, tokens: 10, time: 10, ended: 4 });
    expect(replayVote(samples, { ...alone, open: 4 })).toEqual({ right: true, tokens: 10, time: 4, ended: 4 });
  });

  it('is ended by a lead, and counts what was open then', () => {
    const samples = Array.from({ length: 6 }, () => sample('7', sure, sure));
    const rules = { choose: 'vote', scored: true, leadRisk: 0.1 } as const;
    expect(replayVote(samples, { ...rules, open: 1 })).toEqual({ right: true, tokens: 8, time: 8, ended: 2 });
    const late = [sample('7', sure), sample('7', sure), sample('7', sure, [9, 9, 9, 9])];
    // The first two end at 2 tokens; the third has generated as many by then.
    expect(replayVote(late, { ...rules, open: 3 })).toMatchObject({ tokens: 4 + 2, time: 2 });
  });

  it('weighs by rewards where it is scored, and by how sure the model was where that is wanted', () => {
    const samples = [sample('8', sure), sample('8', sure), sample('7', sure)];
    expect(replayVote(samples, { open: 1, choose: 'vote' }).right).toBe(false);
    expect(replayVote(samples, { open: 1, choose: 'vote', scored: true }).right).toBe(true);
    const shy = [sample('8', unsure), sample('8', unsure), sample('7', sure)];
    expect(replayVote(shy, { open: 1, choose: 'confident' }).right).toBe(true);
  });

  it('ends a sample at the step whose window is below the bound of the warm-up, and does not count its vote', () => {
    const deepconf = { keep: 0.5, window: 2, warmup: 2 };
    const samples = [sample('7', sure, sure), sample('8', sure, sure), sample('8', sure, unsure, sure)];
    const found = replayVote(samples, { open: 1, choose: 'vote', deepconf });
    expect(found).toMatchObject({ tokens: 4 + 4 + 4, ended: 2 });
  });
});

it('DeepConf is chosen by what it saves among what loses little', () => {
  const question = () => [
    sample('7', sure, sure),
    sample('7', sure, sure),
    sample('8', unsure, sure),
    sample('7', sure),
  ];
  const others = { open: 1, choose: 'confident' } as const;
  const tried = [1, 0.5].map((keep) => ({ keep, window: 2, warmup: 2 }));
  const found = chooseDeepConf([question, question], others, 0, [...tried, { keep: 0.5, window: 2, warmup: 4 }]);
  expect(found?.deepconf).toEqual(tried[0]);
  expect(found?.row.saved).toBeCloseTo(2 / 14);
  const [all, half] = voteRows([question, question], [others, { ...others, deepconf: tried[1] }]);
  expect([all!.saved, half!.loss.value]).toEqual([0, 0]);
});
