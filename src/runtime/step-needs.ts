// What is read of the steps of a search, so that an engine is asked for no more: log probabilities where the program, the
// verifier or a rule decides by them, tokens where somebody watches, a seed where the search is to be repeated.

import type { StepNeeds } from '../engine/engine.ts';
import type { Verifier } from '../verifier/verifier.ts';
import type { SearchRequest } from './request.ts';

export function stepNeeds(request: SearchRequest, verifier: Verifier | undefined, watched: boolean): StepNeeds {
  const { program, rules, repeatable = true } = request;
  const byVerifier = program.needsVerifier && verifier?.capabilities.readsLogprobs === true;
  const byRule = [...rules.exits, ...rules.prunes].some((rule) => rule.readsLogprobs === true);
  return { logprobs: program.readsLogprobs || byVerifier || byRule, tokens: watched, seed: repeatable };
}

/** Whether a verifier is asked for its second reading: where a rule of the search decides by it. */
export function readsPromise({ rules }: SearchRequest): boolean {
  return rules.prunes.some((rule) => rule.readsPromise === true);
}
