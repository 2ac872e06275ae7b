// A chunk of an OpenAI completion stream: choices, usage with the last one, and what the candidates of a token say.

import { isRecord } from '../../../base/record.ts';
import { count, protocolFault, readEvent, records } from '../../../remote/wire-values.ts';
import type { Update, WireUsage } from './dialect.ts';

export function decodeChunk(event: unknown, updateOf: (choice: Record<string, unknown>) => Update): Update[] {
  const chunk = readEvent(event, 'a completion chunk');
  if (!Array.isArray(chunk.choices)) protocolFault('a completion chunk without choices', event);
  const usage = usageOf(chunk.usage);
  const updates = records(chunk.choices).map(updateOf);
  if (usage === undefined) return updates;
  return updates.length === 0 ? [{ index: 0, text: '', usage }] : updates.map((update) => ({ ...update, usage }));
}

/** `cached_tokens` is there only if the server was told to report it. */
export function usageOf(value: unknown): WireUsage | undefined {
  if (!isRecord(value)) return undefined;
  const details = isRecord(value.prompt_tokens_details) ? value.prompt_tokens_details : {};
  const generated = isRecord(value.completion_tokens_details) ? value.completion_tokens_details : {};
  return {
    promptTokens: count(value.prompt_tokens),
    cachedTokens: count(details.cached_tokens),
    generatedTokens: count(value.completion_tokens),
    thoughtTokens: count(generated.reasoning_tokens),
  };
}

/** The most that vLLM gives by default. */
export const likeliest = 20;

/** The entropy of a token, in nats, from its likeliest candidates. The rest counts as one token, so the result is a lower bound. */
export function entropyOfLikeliest(logprobs: readonly number[]): number | undefined {
  if (logprobs.length === 0) return undefined;
  const probabilities = logprobs.map(Math.exp);
  const rest = 1 - probabilities.reduce((sum, each) => sum + each, 0);
  return [...probabilities, rest].reduce((sum, each) => (each > 0 ? sum - each * Math.log(each) : sum), 0);
}
