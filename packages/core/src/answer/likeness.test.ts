import { describe, expect, it } from 'vitest';
import { cosine, isOpenText, nearestText } from './likeness.ts';

describe('what is open', () => {
  it.each([
    'The disk was full.',
    '91 is not prime',
    'It gets scattered, but blue more than red, as it is shorter.',
    'for word in words: print(word)',
    'Die Platte war voll',
    'ディスクがいっぱいでした',
  ])('%s', (text) => {
    expect(isOpenText(text)).toBe(true);
  });

  it.each([
    ...['18', '\\frac{1}{2}', '3 + 4', '(1, 2)', '', 'x = 5, y = 2', '\\sin \\alpha + \\cos \\beta - \\tan \\gamma'],
    ...['B', 'A and C', 'yes', 'Canberra', 'Isaac Newton', 'red, green, blue', '東京'],
  ])('is compared exactly: %s', (text) => {
    expect(isOpenText(text)).toBe(false);
  });
});

describe('the nearest', () => {
  const east = { text: 'the disk was full', vector: [1, 0] };
  const north = { text: 'the lock was held', vector: [0, 1] };
  const between = (text: string, degrees: number) => {
    const angle = (degrees * Math.PI) / 180;
    return { text, vector: [2 * Math.cos(angle), 2 * Math.sin(angle)] };
  };

  it('is that with the highest cosine, whatever the lengths of the vectors', () => {
    expect(nearestText(between('no space was left there', 30), [east, north], 0.5)).toBeUndefined(); // it denies, they do not
    expect(nearestText(between('space had run out', 30), [east, north], 0.5)).toBe(east); // cos 30° = 0.87, cos 60° = 0.5
    expect(nearestText(between('space had run out', 60), [east, north], 0.5)).toBe(north);
    expect(nearestText(between('space had run out', 30), [east, north], 0.9)).toBeUndefined();
  });

  it('is the earlier of two that are as near', () => {
    const twin = { ...east };
    expect(nearestText(between('space had run out', 10), [east, twin], 0.5)).toBe(east);
  });

  it.each([
    ['it takes 5 hours', 'it takes 6 hours'],
    ['it takes 5 hours', 'it takes a day'],
    ['91 is a prime number', '91 is not a prime number'],
    ['the door is locked', "the door isn't locked"],
  ])('never joins "%s" and "%s"', (one, other) => {
    expect(nearestText({ text: one, vector: [1, 0] }, [{ text: other, vector: [1, 0] }], 0.5)).toBeUndefined();
  });

  it('takes numbers as they are written for numbers', () => {
    const known = { text: 'it costs 1,000 euros', vector: [1] };
    expect(nearestText({ text: '1000.0 euros is what it costs', vector: [1] }, [known], 0.5)).toBe(known);
  });

  it('is nothing to a vector of another model or of no length', () => {
    expect(cosine([1, 0], [1, 0, 0])).toBe(0);
    expect(cosine([0, 0], [1, 0])).toBe(0);
  });
});
