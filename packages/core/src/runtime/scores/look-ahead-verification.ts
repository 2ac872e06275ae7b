// Look-ahead verification (P4 §4.1.3): a speculative step is scored in the same pass as the step before it. It pays where the verifier
// reuses no prefix, so that each pass would compute the whole path anew.

import type { NodeKey } from '../../tree/keys.ts';
import type { ScoreRequest, VerifierCapabilities } from '../../verifier/verifier.ts';

export interface WantedScore {
  readonly request: ScoreRequest;
  readonly key: NodeKey;
}

export function looksAhead({ looksAhead: can = false, reusesPrefix = true }: Partial<VerifierCapabilities>): boolean {
  return can && !reusesPrefix;
}

export function isParentSent({ search, parent }: ScoreRequest, sent: Iterable<WantedScore>): boolean {
  for (const { key, request } of sent) if (key === parent && request.search === search) return true;
  return false;
}

export function nextStep({ request, key }: WantedScore, waiting: Iterable<WantedScore>): WantedScore | undefined {
  for (const score of waiting) {
    if (score.request.parent === key && score.request.search === request.search) return score;
  }
  return undefined;
}
