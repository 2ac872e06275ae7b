// Filters and sorts the list of ended searches. Pure.

import type { SearchJson } from '../../../../src/wire/search-json.ts';

export interface RecentChoice {
  /** Matched in question and answer; empty for all. */
  readonly words: string;
  /** Empty for all. */
  readonly verdict: string;
  readonly order: RecentOrder;
}

const tookMs = ({ created_ms, ended_ms }: SearchJson) => (ended_ms ?? created_ms) - created_ms;

const ranks = {
  newest: ({ ended_ms }: SearchJson) => ended_ms ?? 0,
  slowest: tookMs,
  'most tokens': ({ summary }: SearchJson) => summary?.tokens ?? 0,
  'most nodes': ({ summary }: SearchJson) => summary?.nodes ?? 0,
  'best score': ({ summary }: SearchJson) => summary?.best_score ?? -1,
} as const;

export type RecentOrder = keyof typeof ranks;
export const recentOrders = Object.keys(ranks) as readonly RecentOrder[];

export function chosen(searches: readonly SearchJson[], { words, verdict, order }: RecentChoice): SearchJson[] {
  const wanted = words.trim().toLowerCase();
  const rank = ranks[order];
  return searches
    .filter((each) => verdict === '' || each.verdict === verdict)
    .filter(({ title, answer, id }) => `${title ?? id}\n${answer ?? ''}`.toLowerCase().includes(wanted))
    .sort((a, b) => rank(b) - rank(a));
}
