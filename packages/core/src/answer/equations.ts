// Finds a false equation between plain numbers in a text, "12*24=298" or "so 3 + 4 = 8 apples". Only what is certain counts: a side
// with letters, units inside or an unclear beginning is passed over, and a number with decimals may differ by half its last place.
// A whole number is not a rounded one: a quotient of whole numbers that leaves a remainder is false.

import { evaluate } from './expression.ts';
import { trimEndOf } from './trim.ts';
import { add, negate, toFloat, type Value } from './value.ts';

const equals = /(?<![=<>!≠≈:])=(?![=>])/g;
/** A character of a side. No equals sign is: the sides of a text do not overlap, and each is read once from the left and once from the right. */
const ofSide = /[\d.,+\-−*/×÷·()\s]/;
/** Characters of a side; a longer one is no sum that a person would check. */
const longestSide = 500;
/** Characters that may stand right beside a whole number. */
const beginsClean = /[\s:;$(=]/;
const endsClean = /^(?:$|[\s:;$)=!?])/;
const modulus = /^\s*[,(\\]*\s*\\?p?mod/;
/** Characters behind a side in which a modulus is looked for. */
const modulusReach = 32;

/** The first equation in the text that does not hold, as it stands there. */
export function falseEquation(text: string): string | undefined {
  for (const { index } of text.matchAll(equals)) {
    const left = leftOf(text, index);
    const right = left === undefined ? undefined : rightOf(text, index + 1);
    if (left === undefined || right === undefined) continue;
    if (isNumber(left) && isNumber(right)) continue;
    if (!mayBeEqual(left, right)) return `${left}=${right}`;
  }
  return undefined;
}

function leftOf(text: string, end: number): string | undefined {
  let start = end;
  while (start > 0 && ofSide.test(text[start - 1]!)) start -= 1;
  if (end - start > longestSide) return undefined;
  const run = text.slice(start, end);
  const side = run.replace(/^[.,\s]+/, '').trimEnd();
  const isClean = start === 0 || beginsClean.test(text[start - 1]!) || /^\s/.test(run);
  return /^[\d(.]/.test(side) && isClean ? side : undefined;
}

function rightOf(text: string, start: number): string | undefined {
  let end = start;
  while (end < text.length && ofSide.test(text[end]!)) end += 1;
  if (end - start > longestSide) return undefined;
  const run = text.slice(start, end).trimEnd();
  const side = trimEndOf(run, /[.,\s]/).trimStart();
  const rest = text.slice(start + run.length, start + run.length + modulusReach);
  return /[\d)]/.test(side.at(-1) ?? '') && endsClean.test(rest) && !modulus.test(rest) ? side : undefined;
}

function isNumber(side: string): boolean {
  return /^[-−]?[\d.,]+$/.test(side);
}

function mayBeEqual(left: string, right: string): boolean {
  const a = valueOfSide(left);
  const b = valueOfSide(right);
  const difference = a && b && add(a, negate(b));
  if (difference === undefined) return true;
  const slack = Math.max(roundingOf(left, right), roundingOf(right, left), 1e-9);
  return Math.abs(toFloat(difference)) <= slack;
}

function valueOfSide(side: string): Value | undefined {
  const plain = side
    .replace(/(\d),(?=\d{3}(?!\d))/g, '$1')
    .replaceAll('−', '-')
    .replace(/[×·]/g, '*')
    .replaceAll('÷', '/');
  // Numbers side by side are a list, a mixed number or a product without a sign; the text does not say which.
  if (plain.includes(',') || /\d\s+[\d(]|\)\s*[\d(]|\d\(/.test(plain)) return undefined;
  return evaluate(plain);
}

/**
 * Half the last place of a number that may have been rounded; an expression is exact. A whole number may have been only where
 * decimals stand on the other side: who writes 2.4*3=7 rounds, who writes 28/8=3 is wrong.
 */
function roundingOf(side: string, other: string): number {
  if (!isNumber(side)) return 0;
  const places = side.split('.')[1]?.length ?? 0;
  if (places === 0 && !other.includes('.')) return 0;
  return 0.5 * 10 ** -places;
}
