import { expect, test } from 'vitest';
import { tasks } from '../../../llama/src/task/recognise.ts';
import { pathOf } from '../testing/case/paths.ts';
import type { Step } from '../tree/step.ts';
import { CheckedVerifier } from './checked-verifier.ts';
import { confidence } from './confidence/confidence-verifier.ts';
import { makeVerifier } from './definition.ts';
import type { ScoreRequest, VerifierMessage } from './verifier.ts';

function request(id: number, text: string, about = 'a story', before: readonly string[] = []): ScoreRequest {
  const step: Step = { text, tokens: 4, meanLogprob: Math.log(0.75), end: 'delimiter' };
  const prompt = { kind: 'text', text: about } as const;
  return {
    id,
    search: 's',
    prompt,
    parent: 0,
    index: id,
    path: pathOf(...before.map((line) => ({ ...step, text: line }))),
    step,
    lane: 'primary',
    priority: 0,
  };
}

test('a false equation scores 0, everything else is left to the verifier behind', () => {
  const verifier = new CheckedVerifier(makeVerifier(confidence), { check: 'arithmetic' });
  const messages: VerifierMessage[] = [];
  verifier.connect((message) => messages.push(message));
  verifier.score([request(0, '12*24=298\n'), request(1, '12*24=288\n'), request(2, 'Answer: 288')]);
  const rewards = new Map(messages.map((each) => [each.request, each.type === 'score' ? each.reward : undefined]));
  expect(rewards.get(0)).toBe(0);
  expect(rewards.get(1)).toBeCloseTo(0.75);
  expect(rewards.get(2)).toBeCloseTo(0.75);
  expect(verifier.capabilities.name).toBe('confidence, arithmetic checked');
});

test('a false equation of the question may be quoted', () => {
  const verifier = new CheckedVerifier(makeVerifier(confidence), { check: 'arithmetic' });
  const about = 'In which base is $3 \\cdot 12 = 41$?';
  const steps = ['We have 3 × 12 = 41.\n', 'So 3*12=42.\n'].map((text, id) => request(id, text, about));
  expect(rewardsOf(verifier, steps)).toEqual([expect.closeTo(0.75), 0]);
});

const ledger = 'Ledger 4821: a+3921-1184 b-2442 c+1111 d+1111 e+1111 f+1111.\n';
const first = 'a 4821+3921-1184=7558\n';
const slip = 'a 4821+3921-1184=7559\n';

/** Rewards by request of a verifier that stands behind a checker of lines. */
function rewardsOf(verifier: CheckedVerifier, requests: readonly ScoreRequest[]): (number | undefined)[] {
  const rewards = new Map<number, number | undefined>();
  verifier.connect((each) => rewards.set(each.request, each.type === 'score' ? each.reward : undefined));
  verifier.score(requests);
  return requests.map(({ id }) => rewards.get(id));
}

test('a line that the task can judge is 1 or 0, given the lines before it; others are left to the verifier behind', () => {
  const verifier = new CheckedVerifier(makeVerifier(confidence), { check: 'lines', tasks });
  const lines = [first, slip, 'b 7558-2442=5116\n'].map((line, id) =>
    request(id, line, ledger, line.startsWith('b') ? [first] : []),
  );
  expect(rewardsOf(verifier, [...lines, request(3, 'and so on\n'), request(4, '1+1=3\n')])).toEqual([
    1,
    0,
    1,
    expect.closeTo(0.75),
    0,
  ]);
});

test('true lines accept no answer to a story: the verifier behind judges it', () => {
  const verifier = new CheckedVerifier(makeVerifier(confidence), { check: 'lines', tasks });
  const story = 'Ben has 17 coins. He loses 9 coins. He buys 3 more coins. How many coins are left?\n';
  const answer = request(0, 'Answer: 11', story, ['17-9=8\n', '8+3=11\n']);
  expect(rewardsOf(verifier, [answer, request(1, '17-9=8\n', story)])).toEqual([expect.closeTo(0.75), 1]);
});

test('a checker that throws is told once, and its lines count as unknown', () => {
  const told: string[] = [];
  const checkLine = () => {
    throw new Error('lost');
  };
  const onTrouble = (problem: string) => told.push(problem);
  const verifier = new CheckedVerifier(makeVerifier(confidence), {
    check: 'lines',
    tasks: [{ ...tasks[0]!, recognise: (question) => question, checkLine }],
    onTrouble,
  });
  const rewards = rewardsOf(verifier, [request(0, first, ledger), request(1, 'hm\n', ledger)]);
  expect(rewards).toEqual([expect.closeTo(0.75), expect.closeTo(0.75)]);
  expect(told).toEqual(['a checker of lines failed, and such lines count as unchecked: Error: lost']);
});
