// Decides whether a countdown puzzle has a solution: exact rationals, negative intermediate values included. The values of a group of
// numbers are those of all ways to split it in two. For at most six numbers.

import { assert } from '../../packages/core/src/base/assert.ts';

interface Fraction {
  readonly numerator: number;
  /** Positive, without a common factor. */
  readonly denominator: number;
}

type Values = ReadonlyMap<string, Fraction>;

const mostNumbers = 6;

export function isSolvable(numbers: readonly number[], target: number): boolean {
  assert(numbers.length > 0 && numbers.length <= mostNumbers, `${numbers.length} numbers, at most ${mostNumbers}`);
  const memo = new Map<string, Values>();
  const wanted = keyOf(fraction(target, 1)!);
  if (numbers.length === 1) return numbers[0] === target;
  const sorted = [...numbers].sort((a, b) => a - b);
  return halvesOf(sorted).some(([one, other]) => {
    const found = valuesOf(other, memo);
    for (const a of valuesOf(one, memo).values()) {
      for (const b of found.values()) if (combined(a, b).some((value) => keyOf(value) === wanted)) return true;
    }
    return false;
  });
}

function valuesOf(group: readonly number[], memo: Map<string, Values>): Values {
  const name = group.join(' ');
  const known = memo.get(name);
  if (known !== undefined) return known;
  const found = new Map<string, Fraction>();
  if (group.length === 1) found.set(String(group[0]), fraction(group[0]!, 1)!);
  else {
    for (const [one, other] of halvesOf(group)) {
      for (const a of valuesOf(one, memo).values()) {
        for (const b of valuesOf(other, memo).values()) {
          for (const value of combined(a, b)) found.set(keyOf(value), value);
        }
      }
    }
  }
  memo.set(name, found);
  return found;
}

/** Each way to split a group in two, once: the first number stays on the first side. */
function halvesOf(group: readonly number[]): [number[], number[]][] {
  const [first, ...rest] = group;
  const ways = new Map<string, [number[], number[]]>();
  for (let chosen = 0; chosen < 2 ** rest.length - 1; chosen += 1) {
    const one = [first!, ...rest.filter((_, index) => (chosen >> index) & 1)];
    const other = rest.filter((_, index) => !((chosen >> index) & 1));
    ways.set(`${one.join(' ')}|${other.join(' ')}`, [one, other]);
  }
  return [...ways.values()];
}

function combined(a: Fraction, b: Fraction): Fraction[] {
  const left = a.numerator * b.denominator;
  const right = b.numerator * a.denominator;
  const below = a.denominator * b.denominator;
  return [
    fraction(left + right, below),
    fraction(left - right, below),
    fraction(right - left, below),
    fraction(a.numerator * b.numerator, below),
    fraction(left, right),
    fraction(right, left),
  ].filter((value) => value !== undefined);
}

function fraction(numerator: number, denominator: number): Fraction | undefined {
  if (denominator === 0) return undefined;
  assert(Number.isSafeInteger(numerator) && Number.isSafeInteger(denominator), 'a value outgrew exact integers');
  const common = gcd(Math.abs(numerator), Math.abs(denominator)) * Math.sign(denominator);
  return { numerator: numerator / common || 0, denominator: denominator / common };
}

function gcd(a: number, b: number): number {
  return b === 0 ? a : gcd(b, a % b);
}

function keyOf({ numerator, denominator }: Fraction): string {
  return denominator === 1 ? String(numerator) : `${numerator}/${denominator}`;
}
