// Makes word problems with known answers for users who have none. Numbers come from a seed, so that no model has seen them. They are easy,
// of one to three steps, and say less than a user's own questions. Pure.

import type { GoldQuestion } from '@coppice/core/answering';
import { Random } from '@coppice/core/base';

type NumberDraw = (low: number, high: number) => number;
type Form = (draw: NumberDraw, name: string) => { readonly question: string; readonly answer: number };

const names = ['Anna', 'Ben', 'Chloe', 'David', 'Elif', 'Farid', 'Grace', 'Hugo', 'Ines', 'Jonas'];

const forms: readonly Form[] = [
  (draw, name) => {
    const [box, boxes] = [draw(6, 24), draw(3, 12)];
    const given = draw(2, box * boxes - 1);
    return {
      question: `A box holds ${box} pencils. ${name} buys ${boxes} boxes and gives away ${given} pencils. How many pencils does ${name} keep?`,
      answer: box * boxes - given,
    };
  },
  (draw, name) => {
    const [first, more, days] = [draw(5, 30), draw(2, 9), draw(4, 7)];
    return {
      question: `${name} reads ${first} pages on the first day and each day ${more} pages more than the day before. How many pages has ${name} read after ${days} days?`,
      answer: days * first + (more * days * (days - 1)) / 2,
    };
  },
  (draw) => {
    const [fill, leak, minutes] = [draw(12, 30), draw(2, 9), draw(8, 40)];
    return {
      question: `A pipe fills a tank at ${fill} litres per minute while a leak loses ${leak} litres per minute. The tank holds ${(fill - leak) * minutes} litres. How many minutes does it take to fill the empty tank?`,
      answer: minutes,
    };
  },
  (draw, name) => {
    const [price, percent, count] = [10 * draw(3, 20), 10 * draw(1, 6), draw(2, 6)];
    return {
      question: `A jacket costs ${price} euros and is reduced by ${percent} percent. ${name} buys ${count} of them. How many euros does ${name} pay?`,
      answer: (count * price * (100 - percent)) / 100,
    };
  },
  (draw) => {
    const [width, longer] = [draw(4, 25), draw(2, 12)];
    return {
      question: `A rectangle is ${longer} cm longer than it is wide, and its perimeter is ${4 * width + 2 * longer} cm. What is its area in square centimetres?`,
      answer: width * (width + longer),
    };
  },
  (draw, name) => {
    const [rate, extra, hours] = [draw(11, 28), draw(3, 9), draw(41, 52)];
    return {
      question: `${name} earns ${rate} euros an hour, and ${extra} euros more for each hour beyond 40. ${name} works ${hours} hours. How many euros does ${name} earn?`,
      answer: rate * hours + extra * (hours - 40),
    };
  },
  (draw, name) => {
    const [share, times] = [draw(7, 40), draw(2, 4)];
    return {
      question: `${name} and two friends share a bill of ${share * (times + 2)} euros. ${name} pays ${times} times what each of the friends pays. How many euros does ${name} pay?`,
      answer: share * times,
    };
  },
  (draw) => {
    const [hour, minute, took] = [draw(7, 18), draw(1, 58), draw(65, 290)];
    const end = 60 * hour + minute + took;
    return {
      question: `A train leaves at ${clock(60 * hour + minute)} and arrives at ${clock(end)} on the same day. How many minutes does the journey take?`,
      answer: took,
    };
  },
];

export function easySums(seed: number, count = 400): GoldQuestion[] {
  const random = new Random(seed, 'easy-sums');
  const draw: NumberDraw = (low, high) => low + random.integer(high - low + 1);
  return Array.from({ length: count }, (_, at) => {
    const { question, answer } = forms[at % forms.length]!(draw, names[draw(0, names.length - 1)]!);
    return { id: `easy-${at + 1}`, question, answer: String(answer), solvable: true, difficulty: undefined };
  });
}

function clock(minutes: number): string {
  return `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, '0')}`;
}
