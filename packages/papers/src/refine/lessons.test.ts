// Lessons of one search for the next, worked by hand, and the choices of a search that has them.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Random } from '../../../core/src/base/random.ts';
import { type Learned, plantedEvent } from '../../../core/src/tree/events.ts';
import { Tree } from '../../../core/src/tree/tree.ts';
import { lessonOf, priorAt, remembered } from './lessons.ts';
import { repeated } from './sums.ts';
import { descend } from './thompson.ts';

type Answer = readonly [below: number, reward: number];

/** Answers in the order of arrival, each below the root (0) or an earlier answer. */
function treeOf(answers: readonly Answer[], learned?: Learned): Tree {
  const tree = Tree.replay([plantedEvent('last', undefined, learned)]);
  for (const [strand, [below, reward]] of answers.entries()) {
    const node = strand + 1;
    const index = tree.node(below).children.length;
    const step = { text: `${node}`, tokens: 1, meanLogprob: 0, end: 'eos' } as const;
    tree.record({ type: 'opened', strand, node: below });
    tree.record({ type: 'asked', strand, node: below, indices: [index], sampling: { temperature: 1 } });
    tree.record({ type: 'grown', node, parent: below, key: 100 + node, index, step, reward, terminal: false });
    tree.record({ type: 'moved', strand, node });
    tree.record({ type: 'closed', strand, closing: 'completed', value: reward });
  }
  return tree;
}

const scored = (...scores: readonly number[]) => ({
  count: scores.length,
  sum: expect.closeTo(scores.reduce((all, each) => all + each, 0)),
  squares: expect.closeTo(scores.reduce((all, each) => all + each * each, 0)),
});

/** A fresh answer, a second one, two repairs of the first, a repair of a repair and one of that. */
const six: readonly Answer[] = [
  [0, 0.3],
  [0, 0.5],
  [1, 0.1],
  [1, 0.2],
  [3, 0.4],
  [5, 0.6],
];

test('later fresh answers, repairs and deeper ones are told apart, and the first answer teaches nothing', () => {
  const kinds = { fresh: scored(0.5), repairs: scored(0.1, 0.2), deeper: scored(0.4, 0.6) };
  const lesson = { ...kinds, freshShare: scored(1, 0, 0, 0, 0) };
  expect(lessonOf(treeOf(six), undefined)).toEqual(lesson);
  expect(lessonOf(treeOf([[0, 1]]), undefined)).toBeUndefined();
  expect(lessonOf(treeOf([]), lesson)).toBe(lesson);
});

test('searches add up', () => {
  const once = lessonOf(treeOf(six), undefined);
  const twice = lessonOf(
    treeOf([
      [0, 0],
      [0, 1],
      [2, 0.7],
    ]),
    once,
  );
  const kinds = { fresh: scored(0.5, 1), repairs: scored(0.1, 0.2, 0.7), deeper: scored(0.4, 0.6) };
  expect(twice).toEqual({ ...kinds, freshShare: scored(1, 0, 0, 0, 0, 1, 0) });
});

/** Half of the fresh answers passed. Then 32 come that all fail: the odds fall from 32.5 : 32.5 to 16.5 : 48.5. */
const failing = treeOf(Array.from({ length: 33 }, (): Answer => [0, 0]));
const half: Learned = { fresh: passing(0.5), repairs: passing(0.4), deeper: { count: 10, sum: 4, squares: 2 } };
const meanOf = ({ count, sum }: { readonly count: number; readonly sum: number }) => sum / count;

test('when fresh answers come to less, what is remembered of repairs comes to less by the same odds', () => {
  const { fresh, repairs, deeper } = lessonOf(failing, { ...half, freshShare: repeated(1, 64) })!;
  expect(meanOf(fresh!)).toBe(0.25);
  // 0.4 is 2 : 3, and 16.5 / 48.5 of that is 0.2268 : 1.
  expect(meanOf(repairs!)).toBeCloseTo(0.1849, 4);
  expect(repairs!.squares).toBeCloseTo(repairs!.sum);
  expect([deeper!.count, meanOf(deeper!)]).toEqual([10, expect.closeTo(0.1849, 4)]);
  // An older log has no share: the search's own counts instead, and here all answers are fresh.
  expect(lessonOf(failing, half)!.repairs).toEqual(repairs);
});

test('repairs follow as far as later answers are fresh ones', () => {
  const { repairs, freshShare } = lessonOf(failing, { ...half, freshShare: repeated(0, 64) })!;
  expect(meanOf(freshShare!)).toBe(0.5);
  // The root of 16.5 / 48.5 is 0.5833, and 2 / 3 of that 0.3889 : 1.
  expect(meanOf(repairs!)).toBeCloseTo(0.28, 4);
});

test('repairs come back with fresh answers, and do not follow a mean that is still being found out', () => {
  const passed = treeOf([[0, 0], ...Array.from({ length: 64 }, (): Answer => [0, 1])]);
  const failed = treeOf(Array.from({ length: 65 }, (): Answer => [0, 0]));
  const low = lessonOf(failed, lessonOf(passed, half))!;
  expect(meanOf(low.repairs!)).toBeLessThan(0.01);
  expect(meanOf(lessonOf(passed, low)!.repairs!)).toBeGreaterThan(0.98);
  const early = { ...half, fresh: { count: 32, sum: 16, squares: 16 } };
  expect(lessonOf(failing, early)!.repairs).toEqual(half.repairs);
});

test('at the root fresh answers stand against all repairs, below an answer its repairs against theirs', () => {
  const learned = { fresh: repeated(0.5, 64), repairs: repeated(0.2, 48), deeper: repeated(0.1, 16) };
  expect(priorAt(0, learned)).toMatchObject({ wider: { count: 64, sum: 32 }, deeper: { count: 64 } });
  expect(priorAt(0, learned).deeper.sum).toBeCloseTo(48 * 0.2 + 16 * 0.1);
  expect(priorAt(1, learned)).toEqual({ wider: learned.repairs, deeper: learned.deeper });
  expect(priorAt(4, learned)).toEqual({ wider: learned.deeper, deeper: learned.deeper });
  const none = { count: 0, sum: 0, squares: 0 };
  expect(priorAt(0, undefined)).toEqual({ wider: none, deeper: none });
  // With both kinds full, together they count as much as one kind.
  expect(priorAt(0, { repairs: repeated(0.2, 64), deeper: repeated(0.1, 64) }).deeper).toEqual({
    count: 64,
    sum: expect.closeTo(64 * 0.15),
    squares: expect.closeTo((64 * (0.04 + 0.01)) / 2),
  });
});

test('whatever comes, no kind counts for more than is remembered, and its mean is one of scores', () => {
  const place = fc.integer({ min: 0, max: 30 });
  const answers = fc.array(fc.tuple(place, fc.double({ min: 0, max: 1, noNaN: true })), { maxLength: 90 });
  const searches = fc.array(answers, { minLength: 1, maxLength: 8 });
  fc.assert(
    fc.property(searches, (all) => {
      let learned: Learned | undefined;
      for (const each of all) {
        const placed = each.map(([below, reward], at): Answer => [Math.min(below, at), reward]);
        learned = lessonOf(treeOf(placed), learned);
      }
      for (const { count, sum, squares } of Object.values(learned ?? {})) {
        expect(count).toBeLessThanOrEqual(remembered + 1e-9);
        expect(sum).toBeLessThanOrEqual(count + 1e-9);
        // The spread is at least 0, and at most that of zeros and ones.
        expect(count * squares).toBeGreaterThanOrEqual(sum * sum - 1e-6);
        expect(squares).toBeLessThanOrEqual(sum + 1e-9);
      }
    }),
    { numRuns: 60 },
  );
});

test('what was learned fades: after twice as many other scores an eighth of it is left', () => {
  let learned: Learned | undefined;
  const teach = (reward: number, times: number) => {
    for (let at = 0; at < times; at += 1) {
      learned = lessonOf(
        treeOf([
          [0, 0],
          [1, reward],
        ]),
        learned,
      );
    }
  };
  teach(1, 500);
  expect(learned!.repairs).toEqual({ count: expect.closeTo(64), sum: expect.closeTo(64), squares: expect.closeTo(64) });
  teach(0, 2 * remembered);
  expect(learned!.repairs!.sum / learned!.repairs!.count).toBeCloseTo((1 - 1 / 64) ** 128);
});

/** Share of 2,000 turns in which a search whose first answer failed repairs it. */
function repairs(posterior: 'gaussian' | 'beta', learned?: Learned): number {
  const { root } = treeOf([[0, 0]]);
  const turns = Array.from({ length: 2000 }, (_, turn) => descend(posterior, root, new Random('turn', turn), learned));
  return turns.filter((each) => each !== undefined).length / turns.length;
}

/** Pass rates measured on code with a 1.5B model after a failure; and the same reversed. */
const badRepairs = { fresh: passing(0.16), repairs: passing(0.06), deeper: passing(0.03) };
const goodRepairs = { fresh: passing(0.16), repairs: passing(0.35), deeper: passing(0.35) };

function passing(share: number) {
  return { count: 64, sum: 64 * share, squares: 64 * share };
}

test.each(['gaussian', 'beta'] as const)('by %s, a taught search seldom does what was worse, and not never', (name) => {
  expect(repairs(name)).toBeGreaterThan(0.3);
  expect(repairs(name, badRepairs)).toBeLessThan(0.06);
  expect(repairs(name, badRepairs)).toBeGreaterThan(0);
  expect(repairs(name, goodRepairs)).toBeGreaterThan(0.98);
});

test('its own scores change the mind of a taught search', () => {
  const failures = Array.from({ length: 24 }, (): Answer => [0, 0]);
  const { root } = treeOf([...failures, ...Array.from({ length: 12 }, (): Answer => [1, 0.8])]);
  const turns = Array.from({ length: 500 }, (_, turn) =>
    descend('gaussian', root, new Random('own', turn), badRepairs),
  );
  expect(turns.filter((each) => each !== undefined).length).toBeGreaterThan(400);
});
