// Finds a false equation between plain numbers in a text, "12*24=298" or "so 3 + 4 = 8 apples". Only what is certain counts: a side
// with letters, units inside or an unclear beginning is passed over, and a number with decimals may differ by half its last place.
// A whole number is not a rounded one: a quotient of whole numbers that leaves a remainder is false, unless a task allows it.

import { evaluate } from './expression.ts';
import { add, negate, toFloat, type Value } from './value.ts';

const equals = /(?<![=<>!≠≈:])=(?![=>])/g;
const sideBefore = /[\d.,+\-−*/×÷·()\s]+$/;
const sideAfter = /^[\d.,+\-−*/×÷·()\s]+/;
/** What a number may follow or be followed by without a space and still be a whole one. */
const beginsClean = /(?:^|[\s:;$(=])$/;
const endsClean = /^(?:$|[\s:;$)=!?])/;
const modulus = /^\s*[,(\\]*\s*\\?p?mod/;

export interface EquationOptions {
  /** For tasks that round: 28/8=3 and 28/8=4 may both stand. */
  readonly roundsToWhole?: boolean;
}

/** The first equation in the text that does not hold, as it stands there. */
export function falseEquation(text: string, options: EquationOptions = {}): string | undefined {
  for (const { index } of text.matchAll(equals)) {
    const left = leftOf(text.slice(0, index));
    const right = rightOf(text.slice(index + 1));
    if (left === undefined || right === undefined) continue;
    if (isNumber(left) && isNumber(right)) continue;
    if (!mayBeEqual(left, right, options)) return `${left}=${right}`;
  }
  return undefined;
}

function leftOf(before: string): string | undefined {
  const run = sideBefore.exec(before)?.[0] ?? '';
  const side = run.replace(/^[.,\s]+/, '').trimEnd();
  const beginning = before.slice(0, before.length - run.length) + run.slice(0, run.length - run.trimStart().length);
  return /^[\d(.]/.test(side) && beginsClean.test(beginning) ? side : undefined;
}

function rightOf(after: string): string | undefined {
  const run = sideAfter.exec(after)?.[0] ?? '';
  const side = run.replace(/[.,\s]+$/, '').trimStart();
  const rest = after.slice(run.trimEnd().length);
  return /[\d)]$/.test(side) && endsClean.test(rest) && !modulus.test(rest) ? side : undefined;
}

function isNumber(side: string): boolean {
  return /^[-−]?[\d.,]+$/.test(side);
}

function mayBeEqual(left: string, right: string, options: EquationOptions): boolean {
  const a = valueOfSide(left);
  const b = valueOfSide(right);
  const difference = a && b && add(a, negate(b));
  if (difference === undefined) return true;
  const slack = Math.max(roundingOf(left, right, options), roundingOf(right, left, options), 1e-9);
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
function roundingOf(side: string, other: string, { roundsToWhole = false }: EquationOptions): number {
  if (!isNumber(side)) return 0;
  const places = side.split('.')[1]?.length ?? 0;
  if (places === 0 && !other.includes('.') && !roundsToWhole) return 0;
  return 0.5 * 10 ** -places;
}
