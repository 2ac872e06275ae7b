// A judge's expected verdict: the mean over the candidates for the verdict's token, by probability (arXiv 2607.05391). Written ratings tie
// often, expected ones hardly ever. Pure.

import { isRecord } from '../../base/record.ts';
import { records, text } from '../../remote/wire-values.ts';

export interface RatedToken {
  readonly token: string;
  readonly candidates: readonly { readonly token: string; readonly logprob: number }[];
}

/** `logprobs.content` of a chat completion. */
export function ratedTokens(logprobs: unknown): RatedToken[] {
  return records(isRecord(logprobs) ? logprobs.content : undefined).map(({ token, top_logprobs: top }) => ({
    token: text(token),
    candidates: records(top).flatMap((each) =>
      typeof each.logprob === 'number' ? [{ token: text(each.token), logprob: each.logprob }] : [],
    ),
  }));
}

/** At the last number of a reply. If 10 is two tokens, the probability of `1` is shared by that of the `0` behind it. */
export function expectedRating(tokens: readonly RatedToken[], lowest: number, highest: number): number | undefined {
  let at = tokens.findLastIndex(({ token }) => /\d/.test(token));
  while (at > 0 && /^\d+$/.test(tokens[at]!.token) && /\d$/.test(tokens[at - 1]!.token)) at -= 1;
  if (at < 0) return undefined;
  const zeros = (tokens[at + 1]?.candidates ?? []).filter(({ token }) => token.trim() === '0');
  const isTen = tokens[at]!.token.trim() === '1';
  const ten = isTen && highest >= 10 ? zeros.reduce((chance, { logprob }) => chance + Math.exp(logprob), 0) : 0;
  let [mass, sum] = [0, 0];
  for (const { token, logprob } of tokens[at]!.candidates) {
    const rating = /^\s*\d+\s*$/.test(token) ? Number(token) : Number.NaN;
    if (!(rating >= lowest && rating <= highest)) continue;
    const share = Math.exp(logprob);
    mass += share;
    sum += share * (rating === 1 && isTen ? 1 + 9 * ten : rating);
  }
  return mass === 0 ? undefined : sum / mass;
}
