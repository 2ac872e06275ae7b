// Comparisons that fail with what was compared and both values.

import { AssertionError } from 'node:assert/strict';
import { inspect, isDeepStrictEqual } from 'node:util';

/** Deep equality; a property that is undefined counts as missing. */
export function same(actual: unknown, expected: unknown, what: string): void {
  if (isDeepStrictEqual(actual, expected) || isDeepStrictEqual(defined(actual), defined(expected))) return;
  throw different(actual, expected, what);
}

/** Deep equality of those properties that are expected. */
export function matches(actual: object | undefined, expected: object, what: string): void {
  const present = new Map(Object.entries(actual ?? {}));
  same(actual && Object.fromEntries(Object.keys(expected).map((key) => [key, present.get(key)])), expected, what);
}

/** Compares to two decimals: batches of another size round rewards differently. */
export function near(actual: number, expected: number, what: string): void {
  if (!(Math.abs(actual - expected) < 0.005)) throw different(actual, expected, what);
}

function different(actual: unknown, expected: unknown, what: string): AssertionError {
  const message = `${what}: ${inspect(actual)} where ${inspect(expected)} is expected`;
  return new AssertionError({ message, actual, expected, operator: 'deepStrictEqual' });
}

function defined(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(defined);
  if (typeof value !== 'object' || value === null || value instanceof Set || value instanceof Map) return value;
  const entries = Object.entries(value).filter(([, each]) => each !== undefined);
  return Object.fromEntries(entries.map(([key, each]) => [key, defined(each)]));
}
