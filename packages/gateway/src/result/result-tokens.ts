// Counts where the tokens of a finished search went, under the names of docs/http-api.md. Every generated token is counted once.

import type { SearchPlan } from '@coppice/core/answering';
import type { SearchFold, WriterCost } from '@coppice/core/log';
import type { Node } from '@coppice/core/tree';
import type { ResultFacts, Usage } from '../wire/result-json.ts';
import { answerSteps, hasThought } from './chosen-path.ts';

export function usageOf(plan: SearchPlan, fold: SearchFold, path: readonly Node[], promptTokens: number): Usage {
  const generated = fold.generatedTokens;
  // Prompt tokens that this search never computed; siblings that find them again do not count.
  const cached = Math.max(0, promptTokens - (fold.cost?.promptTokens ?? 0));
  return {
    prompt_tokens: promptTokens,
    completion_tokens: generated,
    total_tokens: promptTokens + generated,
    prompt_tokens_details: { cached_tokens: cached },
    completion_tokens_details: { reasoning_tokens: Math.max(0, generated - answerTokens(plan, path)) },
  };
}

function answerTokens(plan: SearchPlan, path: readonly Node[]): number {
  const { pathTokens = 0, thoughtTokens = 0 } = path.at(-1) ?? {};
  if (plan.reasoning === 'separate' && hasThought(path)) return pathTokens - thoughtTokens;
  if (plan.reasoning === 'inline') return pathTokens;
  return answerSteps(plan, path).reduce((sum, { step }) => sum + (step?.tokens ?? 0), 0);
}

export function tokensOf(
  plan: SearchPlan,
  fold: SearchFold,
  path: readonly Node[],
  promptTokens: number,
): Readonly<Record<string, number>> {
  const cost = fold.cost;
  const generated = fold.generatedTokens;
  return {
    generated,
    computed: cost?.decodedTokens ?? 0,
    thrown_away: generated - fold.tokens,
    committed: fold.tokens,
    discarded: cost?.discardedTokens ?? 0,
    speculative: fold.ghostTokens,
    adopted: cost?.adoptedTokens ?? 0,
    forsaken: cost?.forsakenTokens ?? 0,
    path: path.at(-1)?.pathTokens ?? 0,
    answer: answerTokens(plan, path),
    prompt: promptTokens,
    prefix: cost?.promptTokens ?? 0,
    prefix_cached: cost?.cachedTokens ?? 0,
    verifier: cost?.verifierTokens ?? 0,
    verifier_cached: cost?.verifierCachedTokens ?? 0,
    embedder: cost?.embedderTokens ?? 0,
  };
}

const nothingWritten: WriterCost = { calls: 0, promptTokens: 0, cachedTokens: 0, generatedTokens: 0 };

export function writersOf({ cost, tree }: SearchFold): Pick<ResultFacts, 'models' | 'money'> {
  if (cost?.models === undefined) return {};
  const absent = new Map(tree?.absences.all.map(({ model, code }) => [model, code]));
  const names = new Set([...Object.keys(cost.models), ...absent.keys()]);
  const models = Array.from(names, (name) => {
    const { calls, promptTokens, cachedTokens, generatedTokens, money } = cost.models?.[name] ?? nothingWritten;
    const read = { prompt_tokens: promptTokens, cached_tokens: cachedTokens, generated_tokens: generatedTokens };
    const code = absent.get(name);
    const rest = { ...(money === undefined ? {} : { money }), ...(code === undefined ? {} : { absent: code }) };
    return [name, { calls, ...read, ...rest }] as const;
  });
  return { models: Object.fromEntries(models), ...(cost.money === undefined ? {} : { money: cost.money }) };
}
