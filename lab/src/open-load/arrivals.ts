// The moments and the order of questions: the same for every policy; the gaps of all rates are the same draws, scaled. Pure.

import { hash, Random } from '@coppice/core/base';

/** Shuffles questions: files order them from easy to hard, arrivals do not. */
export function mixed<Question extends { readonly id: string }>(
  seed: number,
  questions: readonly Question[],
): readonly Question[] {
  const place = new Map(questions.map((each) => [each, hash(seed, 'place', each.id)]));
  return questions.toSorted((a, b) => place.get(a)! - place.get(b)!);
}

/** Poisson arrivals, in milliseconds from the start. */
export function arrivals(seed: number, count: number, perSecond: number): number[] {
  let atMs = 0;
  return Array.from({ length: count }, (_, at) => {
    atMs += (new Random('arrivals', seed, at).exponential(1) * 1000) / perSecond;
    return atMs;
  });
}
