import { expect, test } from 'vitest';
import { ScriptedEngine } from '../../../../tests/support/scripted-engine.ts';
import { joinEntry, splitEntry } from '../journal/texts.ts';
import { makeModel } from '../library/open-search-model.ts';
import { search } from '../library/search.ts';
import type { LoggedEvent } from '../log/events.ts';
import { SearchFold } from '../log/fold.ts';
import { longestFeedback } from '../runtime/steps/replies.ts';
import { defineVerifier, type ScoreText } from './definition.ts';

const whole = () => ({ text: 'The answer is 4.', end: 'eos' }) as const;

async function searched(score: ScoreText) {
  const model = makeModel({
    engine: new ScriptedEngine({ script: whole }),
    verifier: defineVerifier(score),
    budget: 8,
    threshold: 0.9,
  });
  const events: LoggedEvent[] = [];
  const onEvent = (event: LoggedEvent) => {
    events.push(event);
  };
  const found = await search('What is 2 + 3?', { model, program: 'best-of-n', rollouts: 2, onEvent });
  await model.close();
  return { ...found, events };
}

test('a function of question and steps is a verifier, and its words stand in the log and on the node', async () => {
  const { tree, events } = await searched(async (question, steps) => {
    return { reward: 0.25, feedback: `${question} is not ${steps.at(-1)}` };
  });
  const words = 'What is 2 + 3? is not The answer is 4.';
  expect(tree.nodes.at(-1)).toMatchObject({ reward: 0.25, feedback: words });
  const grown = events.find(({ event }) => event.type === 'grown')!;
  expect(grown.event).toMatchObject({ feedback: words });
  const stored = splitEntry({ event: grown.event });
  expect(JSON.stringify(stored.body)).not.toContain('is not');
  expect(joinEntry(stored).event).toEqual(grown.event);
  const fold = new SearchFold();
  for (const event of JSON.parse(JSON.stringify(events))) fold.apply(event);
  expect(fold.tree!.nodes.at(-1)!.feedback).toBe(words);
});

test('a number alone is a reward without words', async () => {
  const { tree } = await searched(() => 0.5);
  expect(tree.nodes.at(-1)).toMatchObject({ reward: 0.5, feedback: undefined });
});

test('words beyond the limit are cut', async () => {
  const { tree } = await searched(() => ({ reward: 0, feedback: 'x'.repeat(1e6) }));
  expect(tree.nodes.at(-1)!.feedback).toHaveLength(longestFeedback);
});

const rule = 'a reward is a number from 0 to 1, alone or as { reward, feedback } with a text';
const nonsense: readonly (readonly [unknown, string])[] = [
  [Number.NaN, 'NaN'],
  ['0.7', '"0.7"'],
  [undefined, 'nothing'],
  [null, 'null'],
  [1.5, '1.5'],
  [{ feedback: 'no number' }, '{"feedback":"no number"}'],
  [{ reward: 1, feedback: 7 }, '{"reward":1,"feedback":7}'],
];
for (const [given, shown] of nonsense)
  test(`a verifier that gives ${shown} is told so in one line`, async () => {
    const score = async function mine() {
      return given;
    };
    const { exit, fault } = await searched(score as unknown as ScoreText);
    expect(exit.kind).toBe('failed');
    expect(fault).toMatchObject({ code: 'bad-reward', message: `verifier 'mine' gave ${shown}; ${rule}` });
  });
