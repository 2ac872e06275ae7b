// What a finished search says to its client, in the field names of the wire: texts apart from facts, because texts may be
// erased and facts stay. Types only.

import type { Exit } from '../../log/end.ts';
import type { Verdict } from '../../log/verdict.ts';

export interface Usage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_tokens: number;
  readonly prompt_tokens_details: { readonly cached_tokens: number };
  readonly completion_tokens_details: { readonly reasoning_tokens: number };
}

export interface ResultTexts {
  readonly content: string | null;
  readonly reasoning_content: string | null;
  readonly refusal: string | null;
  readonly answer: string | null;
}

export interface ResultFacts {
  readonly exit: Exit;
  /** `length` only where the text was cut: some clients take it for an error. */
  readonly finish_reason: 'stop' | 'length';
  /** What to think of the answer, and the same as a sentence. */
  readonly verdict: Verdict;
  readonly verdict_text: string;
  /** Null where no verifier has judged the answer. */
  readonly score: number | null;
  /** Where completed paths voted: the share of the vote for the answer. */
  readonly support: number | null;
  readonly complete: boolean;
  readonly usage: Usage;
  readonly rollouts: number;
  readonly nodes: number;
  readonly queue_ms: number | null;
  readonly search_ms: number | null;
  readonly tokens: Readonly<Record<string, number>>;
  readonly escalated_to?: string;
}

export interface ClientResult {
  readonly texts: ResultTexts;
  readonly outcome: ResultFacts;
}
