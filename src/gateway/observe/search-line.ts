// The one log line of a search that has ended: whose it was, what ran it, how it ended, what it cost. Names, codes and numbers alone,
// never a text of user or model.

import { wholeTenths } from '../result/search-result.ts';
import type { ObservedEnd, ObservedSearch } from './observed.ts';

/** Token counts in the words of docs/http-api.md: generated, of them computed and thrown away. */
export function searchLine(search: ObservedSearch, { result, endedMs, error }: ObservedEnd) {
  const { id, owner, plan, background, createdMs } = search.facts;
  const whose = { id, key: owner, model: plan.model, program: plan.program, policy: plan.policy, background };
  const end = { state: search.state, ...(error && { error: error.code }), ms: wholeTenths(endedMs - createdMs) };
  if (result === undefined) return { ...whose, ...end };
  const { exit, verdict, score, usage, tokens, rollouts, queue_ms, search_ms } = result.outcome;
  return {
    ...whose,
    ...end,
    exit: exit.kind,
    rule: exit.rule,
    verdict,
    score,
    rollouts,
    prompt: usage.prompt_tokens,
    generated: usage.completion_tokens,
    computed: tokens.computed ?? 0,
    thrown_away: tokens.thrown_away ?? 0,
    verifier: tokens.verifier ?? 0,
    queue_ms,
    search_ms,
  };
}
