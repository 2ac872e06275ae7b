// Finds best-of-n at the tokens of the best search of a contest, by trial: with an exit, tokens are no multiple of samples.

import { searching } from './contenders.ts';
import type { Contender } from './contest.ts';
import { type Tally, tally } from './tally.ts';
import type { Trials } from './trial-file.ts';

const mostSamples = 512;

export async function equalTokens(
  contenders: readonly Contender[],
  kept: Trials,
  answer: (rows: readonly Contender[]) => Promise<void>,
): Promise<EqualTokens | undefined> {
  const cost = (name: string) => tally('', kept.of(name));
  const searches = contenders.filter(
    ({ program, usual }) => usual || searching.includes(program) || program === 'beam',
  );
  const best = searches.map((each) => ({ each, row: cost(each.name) })).sort((a, b) => merit(b.row) - merit(a.row))[0];
  const sampled = contenders.find(({ program }) => program === 'best-of-n');
  if (best === undefined || sampled === undefined) return undefined;
  const { name, ...shape } = sampled;
  const attempts: PricedSamples[] = [{ samples: shape.rollouts, tokens: cost(name).bothTokens }];
  const nameOf = (samples: number) => name.replace(String(shape.rollouts), String(samples));
  for (;;) {
    const samples = nextSamples(best.row.bothTokens, attempts, mostSamples);
    if (samples === undefined) break;
    await answer([{ ...shape, name: nameOf(samples), rollouts: samples }]);
    attempts.push({ samples, tokens: cost(nameOf(samples)).bothTokens });
  }
  const { samples } = nearest(best.row.bothTokens, attempts)!;
  return { row: nameOf(samples), as: best.each.name };
}

export interface EqualTokens {
  readonly row: string;
  readonly as: string;
}

/** Orders by accuracy, then by cost. */
function merit({ accuracy, bothTokens }: Tally): number {
  return accuracy.value - bothTokens * 1e-9;
}

interface PricedSamples {
  readonly samples: number;
  readonly tokens: number;
}

/** Relative difference at which tokens count as equal. */
const equalShare = 0.05;
const mostAttempts = 5;
/** Slope below which tokens say little about the samples needed. */
const leastPower = 0.2;

export function nearest(target: number, attempts: readonly PricedSamples[]): PricedSamples | undefined {
  const far = ({ tokens }: PricedSamples) => Math.abs(tokens - target);
  return attempts.reduce<PricedSamples | undefined>(
    (best, each) => (best && far(best) <= far(each) ? best : each),
    undefined,
  );
}

/**
 * The number of samples to try next; undefined when an attempt is near enough or no better one exists. With an exit
 * tokens grow less than in proportion: they are taken as a power of the samples, through the two nearest attempts.
 */
export function nextSamples(target: number, attempts: readonly PricedSamples[], most: number): number | undefined {
  const best = nearest(target, attempts);
  if (best === undefined || attempts.length >= mostAttempts) return undefined;
  if (Math.abs(best.tokens - target) <= equalShare * target) return undefined;
  const other = nearest(
    target,
    attempts.filter((each) => each !== best),
  );
  const power = other === undefined ? 1 : Math.max(leastPower, powerThrough(best, other));
  const guess = best.samples * (target / Math.max(1, best.tokens)) ** (1 / power);
  const isTried = (samples: number) => attempts.some((each) => each.samples === samples);
  const within = (samples: number) => Math.min(most, Math.max(1, Math.round(samples)));
  // One sample more or less may still be nearer.
  const samples = isTried(within(guess)) ? within(best.samples + Math.sign(target - best.tokens)) : within(guess);
  return isTried(samples) ? undefined : samples;
}

function powerThrough(one: PricedSamples, other: PricedSamples): number {
  return Math.log(one.tokens / other.tokens) / Math.log(one.samples / other.samples);
}
