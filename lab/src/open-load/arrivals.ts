// When questions come, and in which order: the same for every policy, and the gaps of all rates are the same draws. Pure.

import { hash, Random } from '@coppice/core/base';

/** Files of questions go from easy to hard; those who come at random moments do not. */
export function mixed<Question extends { readonly id: string }>(
  seed: number,
  questions: readonly Question[],
): readonly Question[] {
  const place = new Map(questions.map((each) => [each, hash(seed, 'place', each.id)]));
  return questions.toSorted((a, b) => place.get(a)! - place.get(b)!);
}

/** Poisson, in milliseconds from the start. */
export function arrivals(seed: number, count: number, perSecond: number): number[] {
  let atMs = 0;
  return Array.from({ length: count }, (_, at) => {
    atMs += (new Random('arrivals', seed, at).exponential(1) * 1000) / perSecond;
    return atMs;
  });
}
