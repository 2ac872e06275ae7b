import { expect, it } from 'vitest';
import { isRight } from '../../../../core/src/answering/question.ts';
import { easySums } from './easy-sums.ts';

it('draws sums whose answers are whole numbers above zero, the same for a seed', () => {
  const all = easySums(7);
  expect(all.length).toBe(400);
  expect(all.filter(({ answer }) => !/^[1-9]\d*$/.test(answer!))).toEqual([]);
  expect(all.every((each) => isRight(each, `${each.answer}.0`))).toBe(true);
  expect(new Set(all.map(({ question }) => question)).size).toBeGreaterThan(380);
  expect(easySums(7)).toEqual(all);
  expect(easySums(8)[0]).not.toEqual(all[0]);
});

it('gives the answers that its questions ask for', () => {
  const [pencils, , , , , , , train] = easySums(1);
  const [box, boxes, given] = pencils!.question.match(/\d+/g)!.map(Number);
  expect(Number(pencils!.answer)).toBe(box! * boxes! - given!);
  const [hour, minute, endHour, endMinute] = train!.question.match(/\d+/g)!.map(Number);
  expect(Number(train!.answer)).toBe(60 * (endHour! - hour!) + endMinute! - minute!);
});
