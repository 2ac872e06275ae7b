// The verdict of a causal reward model: the probability of the good token against the bad one, from one generated token. Paths of many
// searches share a call, and the server finds each prefix in its cache.

import { isRecord } from '../../base/record.ts';
import { usageOf } from '../../engine/remote/dialect/completion-chunk.ts';
import type { ServerFacts } from '../../engine/remote/dialect/dialect.ts';
import { records } from '../../remote/wire-values.ts';
import { badReward, type Scored, type ScoringServer } from '../scorer.ts';
import type { ScoreUsage } from '../verifier.ts';

export type Labels = readonly [number, number];

/** Log probabilities of named tokens, since vLLM 0.26. */
export function givesChosenLogprobs({ version }: ServerFacts): boolean {
  const [, major, minor] = /^(\d+)\.(\d+)/.exec(version ?? '') ?? [];
  return major !== undefined && (Number(major) > 0 || Number(minor) >= 26);
}

export async function scoreByCompletion(
  prompt: readonly (string | readonly number[])[],
  labels: Labels,
  server: ScoringServer,
  signal: AbortSignal,
): Promise<Scored> {
  const { connection, facts, timeoutMs } = server;
  const body = {
    model: facts!.model,
    prompt,
    max_tokens: 1,
    temperature: 0,
    logprobs: 1,
    logprob_token_ids: labels,
    return_tokens_as_token_ids: true,
  };
  const answer = await connection.json('POST', '/v1/completions', body, { timeoutMs, signal });
  const choices = isRecord(answer) ? records(answer.choices) : [];
  const byIndex = new Map(choices.map((choice) => [choice.index, choice]));
  const rewards = prompt.map((_, index) => {
    const choice = byIndex.get(index);
    if (choice === undefined) return badReward(server, `gave ${choices.length} scores for ${prompt.length} paths`);
    return goodShare(topOf(choice), labels) ?? badReward(server, 'gave neither verdict');
  });
  return { rewards, ...tokensOf(answer, prompt.length) };
}

/** Keys are like `token_id:648`. */
function topOf(choice: Record<string, unknown>): Record<string, unknown>[] {
  const top = isRecord(choice.logprobs) ? records(choice.logprobs.top_logprobs)[0] : undefined;
  return Object.entries(top ?? {}).map(([token, logprob]) => ({ id: Number(token.split(':')[1]), logprob }));
}

/** An unlisted verdict is at most as likely as the last listed one. */
export function goodShare(top: readonly Record<string, unknown>[], [good, bad]: Labels): number | undefined {
  const floor = Math.min(...top.map((each) => Number(each.logprob)));
  const find = (id: number): number | undefined => {
    const entry = top.find((each) => each.id === id);
    return entry === undefined ? undefined : Number(entry.logprob);
  };
  const [plus, minus] = [find(good), find(bad)];
  if (plus === undefined && minus === undefined) return undefined;
  return 1 / (1 + Math.exp((minus ?? floor) - (plus ?? floor)));
}

/** vLLM tells the cache hits of the last prompt only: the others count alike. */
export function tokensOf(answer: unknown, prompts = 1): ScoreUsage {
  const usage = isRecord(answer) ? usageOf(answer.usage) : undefined;
  const promptTokens = usage?.promptTokens ?? 0;
  const cachedTokens = Math.max(0, Math.min(prompts * (usage?.cachedTokens ?? 0), promptTokens - prompts));
  return { computedTokens: promptTokens - cachedTokens, cachedTokens };
}
