// Best-of-n at the tokens of the best search of a contest, found by trial: with an exit, tokens are no multiple of samples.

import type { GoldQuestion } from '../../answering/question-file.ts';
import { nearest, nextSamples, type PricedSamples } from './contenders.ts';
import type { Contender, Trial } from './contest.ts';
import { type Tally, tally } from './tally.ts';
import type { Trials } from './trial-file.ts';

const mostSamples = 512;

/** Best-of-n at as many tokens of both models as the best search, found by trial; undefined where there is no pair to compare. */
export async function equalTokens(
  contenders: readonly Contender[],
  questions: readonly GoldQuestion[],
  kept: Trials,
  answer: (rows: readonly Contender[]) => Promise<void>,
): Promise<EqualTokens | undefined> {
  const ids = new Set(questions.map(({ id }) => id));
  const cost = (name: string) => tally('', trialsOf(kept, name, ids));
  const searches = contenders.filter(({ program }) => program === 'mcts' || program === 'beam');
  const best = searches.map((each) => ({ each, row: cost(each.name) })).sort((a, b) => ahead(b.row) - ahead(a.row))[0];
  const sampled = contenders.find(
    ({ program, verifier }) => program === 'best-of-n' && verifier === best?.each.verifier,
  );
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
  /** The row of best-of-n, and the search whose tokens it was given. */
  readonly row: string;
  readonly as: string;
}

/** More accurate first, and of equals the cheaper one. */
function ahead({ accuracy, bothTokens }: Tally): number {
  return accuracy.value - bothTokens * 1e-9;
}

export function trialsOf(kept: Trials, contender: string, ids: ReadonlySet<string>): Trial[] {
  return kept.of(contender).filter(({ question }) => ids.has(question));
}
