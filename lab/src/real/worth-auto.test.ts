import { expect, it } from 'vitest';
import { type AutoSettings, stopAuto } from './worth-auto.ts';
import { courseOf, oneByOne, questionOf, shippedWaves, sizedWaves } from './worth-course.ts';

type Drawn = readonly [answer: string, score: number];

/** Ten tokens each; `a` is right. */
function stopped(drawn: readonly Drawn[], price: number, settings: Partial<AutoSettings> = {}) {
  const samples = drawn.map(([group, score]) => ({ group, score, tokens: 10, right: group === 'a' }));
  const course = courseOf(
    questionOf(samples),
    samples.map((_, at) => at),
    oneByOne,
  );
  return stopAuto(course, price, { trust: 1, cost: 1, ...settings });
}

const even: Drawn[] = [
  ['b', 0.2],
  ['a', 0.8],
];

it('votes without a judge while another sample is worth the price', () => {
  const same: Drawn[] = Array.from({ length: 4 }, () => ['a', 0.9]);
  // e^(−1.4) / 10 = 0.0247, e^(−1.4 · √2) / 20 = 0.0069.
  expect(stopped(same, 0.025)).toMatchObject({ right: 1, spent: 10, waves: 1 });
  expect(stopped(same, 0.024)).toMatchObject({ right: 1, spent: 20, waves: 2 });
  expect(stopped(same, 1e-9)).toMatchObject({ right: 1, spent: 40, waves: 4 });
});

it('has the judge read where answers disagree and reading is worth the price', () => {
  // 1.5 / 20 = 0.075 for the reading of both by a judge of trust 1; then a is ahead by 3.75 / √(16 + 1/16).
  expect(stopped(even, 0.02)).toMatchObject({ right: 1, spent: 40, waves: 2 });
  expect(stopped(even, 0.02, { cost: 4 })).toMatchObject({ right: 0.5, spent: 20 });
  expect(stopped(even, 0.02, { cost: 0.5 })).toMatchObject({ right: 1, spent: 30 });
  expect(stopped(even, 0.018, { trust: 0.5, cost: 2 })).toMatchObject({ right: 1, spent: 60 });
  expect(stopped(even, 0.019, { trust: 0.5, cost: 2 })).toMatchObject({ right: 0.5, spent: 20 });
  expect(stopped(even, 1e-9, { trust: undefined })).toMatchObject({ right: 0.5, spent: 20 });
  // One that is not trusted is read where that is worth 0.15 / 20 = 0.0075, and weighs nothing.
  expect(stopped(even, 0.0074, { trust: 0 })).toMatchObject({ right: 0.5, spent: 40 });
  expect(stopped(even, 0.0076, { trust: 0 })).toMatchObject({ right: 0.5, spent: 20 });
});

it('draws on where what was read leaves it worth that, and reads new samples of the leaders', () => {
  const drawn: Drawn[] = [
    ['b', 0.6],
    ['a', 0.5],
    ['a', 0.5],
    ['a', 0.5],
    ['a', 0.5],
  ];
  // Votes stop at three: e^(−1.4 / √3) / 30 = 0.0149. Read, a is ahead by 0.5 / √4.25 only: 0.0216; at four by 1.5 / √5.25: 0.0091.
  expect(stopped(drawn, 0.015, { cost: 0.1 })).toMatchObject({ right: 1, spent: 44 });
  expect(stopped(drawn, 0.015, { trust: undefined })).toMatchObject({ right: 1, spent: 30 });
});

it('has the judge read before it draws on, where reading is worth more than drawing', () => {
  // 1.5 for a token read: after two, a leads by 3.75 / √(16 + 1/16) and the third is not drawn; else it is.
  const drawn: Drawn[] = [...even, ['c', 0.5]];
  expect(stopped(drawn, 0.01, { cost: 1.5 })).toMatchObject({ right: 1, spent: 50, waves: 2 });
  expect(stopped(drawn, 0.01, { cost: 1.52 })).toMatchObject({ right: 1, spent: 30 + 1.52 * 30, waves: 3 });
});

it('has all read where samples of the leaders leave it open and the rest is worth its cost too', () => {
  const answers = ['b', 'b', 'b', 'b', 'b', 'b', 'a', 'a', 'a', 'a', 'a'];
  const drawn = answers.map((answer, at): Drawn => [answer, at >= 4 && answer === 'b' ? 0.1 : 0.5]);
  // Four of each are read: b leads by 1 / √11. The other three cost 30: 1.5 · e^(−0.42) / 30 = 0.0328, at a cost of 1; then b has 6 · (4 + 2/9) / 6.
  const first = { waves: sizedWaves(11, 1) };
  expect(stopped(drawn, 0.0163, { ...first, cost: 0.3 })).toMatchObject({ right: 1, spent: 110 + 0.3 * 110 });
  expect(stopped(drawn, 0.0163, { ...first, cost: 1.1 })).toMatchObject({ right: 0, spent: 110 });
  // 80 · 0.3 = 24 for the first eight: 0.041.
  expect(stopped(drawn, 0.0409, { ...first, cost: 0.3 })).toMatchObject({ spent: 110 + 0.3 * 110 });
  expect(stopped(drawn, 0.0409, { ...first, cost: 0.29 })).toMatchObject({ spent: 110 + 0.29 * 110 });
});

it('counts a failed reading as none, at its cost', () => {
  const failed: Drawn[] = even.map(([answer]) => [answer, Number.NaN]);
  expect(stopped(failed, 0.024)).toMatchObject({ right: 0.5, spent: 40 });
});

it('looks in order within a wave, and aborts what is open', () => {
  const drawn: Drawn[] = Array.from({ length: 8 }, () => ['a', 0.9]);
  // Two are open: e^(−1.4) / 20 = 0.0123 after the first.
  expect(stopped(drawn, 0.0124, { waves: sizedWaves(2, 0.5, 'within') })).toMatchObject({
    right: 1,
    spent: 20,
    waves: 1,
  });
  expect(stopped(drawn, 0.0124, { waves: sizedWaves(2, 0.5) }).waves).toBe(1);
  expect(stopped(drawn, 1e-9, { waves: sizedWaves(2, 0.5, 'within') })).toMatchObject({
    right: 1,
    spent: 80,
    waves: 4,
  });
});

it('begins with what could settle a question as it ships, and takes the wave after whole in a hurry', () => {
  const drawn: Drawn[] = Array.from({ length: 8 }, () => ['a', 0.9]);
  // Unanimous, e^(−1.4 · √3) / 30 = 0.00295 settles it.
  const price = 0.003;
  expect(stopped(drawn, price, { waves: shippedWaves(10) })).toMatchObject({ spent: 30, waves: 1, time: 10 });
  expect(stopped(drawn, price, { waves: shippedWaves(10, true) })).toMatchObject({ spent: 60, waves: 1, time: 10 });
  expect(stopped(drawn, price, { waves: sizedWaves(2, 0.5) })).toMatchObject({ spent: 30, waves: 2, time: 20 });
});
