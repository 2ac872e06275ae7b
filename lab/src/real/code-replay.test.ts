import { expect, it } from 'vitest';
import { replayLines, replayRefine } from './code-replay.ts';
import type { CodeAnswer, CodeLine } from './code-search.ts';

const fails: CodeAnswer = { depth: 1, tokens: 100, score: 0, right: false };
const passes: CodeAnswer = { depth: 1, tokens: 100, score: 1, right: true };

/** Of each of 200 tasks, one fresh answer in five passes, and so many of ten repairs. */
function recorded(repairs: number): CodeLine[] {
  const cost = { tokens: 10, promptTokens: 5, cachedTokens: 0, ms: 1000 };
  const line = { program: 'refine', seed: 1, set: 'mbpp', right: true, score: 1, exit: 'accepted', ...cost };
  const repaired = Array.from({ length: 10 }, (_, at) => ({ ...(at < repairs ? passes : fails), depth: 2 }));
  const answers = [passes, fails, fails, fails, fails, ...repaired];
  return Array.from({ length: 200 }, (_, task) => ({ ...line, question: `MBPP/${task}`, answers }));
}

it('loses by repairs that never pass, and learns to leave them alone', () => {
  const [alone, taught] = (['alone', 'mixed'] as const).map((each) => replayRefine(recorded(0), 500, 4, each)!);
  expect(alone!.right.value).toBeLessThan(-0.1);
  expect(taught!.right.value).toBeGreaterThan(-0.06);
  expect(taught!.repairs).toBeLessThan(alone!.repairs / 2);
  expect(taught!.passed).toEqual(taught!.right);
});

it('gains by repairs that pass, more where it has learned it', () => {
  const [alone, taught] = (['alone', 'mixed'] as const).map((each) => replayRefine(recorded(9), 500, 4, each)!);
  expect(alone!.right.value).toBeGreaterThan(0.2);
  expect(taught!.right.value).toBeGreaterThan(alone!.right.value);
});

it('learns later where many searches run at a time', () => {
  const [mixed, inFlight] = (['mixed', 'set by set'] as const).map((each) => replayRefine(recorded(0), 500, 4, each)!);
  expect(inFlight!.repairs).toBeGreaterThan(mixed!.repairs);
  expect(inFlight!.right.value).toBeLessThan(mixed!.right.value);
});

it('says each in a line, and nothing where nothing is recorded', () => {
  expect(replayLines([], 500, 1)).toEqual([]);
  expect(replayLines(recorded(0), 500, 1)).toEqual([
    expect.stringMatching(
      /refine replayed, each search alone: -\d+\.\d \[.*\] points right, .* % of answers are repairs/,
    ),
    expect.stringMatching(/refine replayed, taught by those before it: /),
    expect.stringMatching(/refine replayed, taught, set by set, 50 at a time: /),
  ]);
});
