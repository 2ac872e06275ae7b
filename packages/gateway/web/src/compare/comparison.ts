// Compares two searches: settings, ends and costs, a row each, from the server's view of a search and the fold of its log. Pure.

import { describeExit, type SearchFold } from '@coppice/core/log';
import type { WholeSearchJson } from '../../../src/wire/search-json.ts';
import { verdictLook } from '../look/verdicts.ts';
import { formatCount, formatDuration, formatRatio, formatScore } from '../look/words.ts';

export interface ComparedSearch {
  readonly search: WholeSearchJson;
  readonly fold: SearchFold;
  readonly widest: number;
}

export interface ComparisonRow {
  readonly name: string;
  readonly values: readonly [string, string];
  /** Second over first, for costs; else empty. */
  readonly ratio: string;
}

interface TextRow {
  readonly name: string;
  readonly text: (each: ComparedSearch) => string;
}

interface CostRow {
  readonly name: string;
  readonly cost: (each: ComparedSearch) => number | undefined;
  readonly format: (value: number) => string;
}

const none = '–';

const texts: readonly TextRow[] = [
  { name: 'verdict', text: ({ search }) => search.result?.coppice.verdict_text ?? verdictLook(search.verdict).words },
  { name: 'answer', text: ({ search }) => search.answer ?? none },
  { name: 'why it ended', text: ({ fold }) => (fold.exit === undefined ? 'it still grows' : exitWords(fold)) },
  { name: 'model', text: ({ search }) => search.model },
  { name: 'program', text: ({ search }) => search.program },
  { name: 'policy', text: ({ search }) => search.policy },
  { name: 'threshold', text: ({ search }) => String(search.limits.threshold ?? none) },
  { name: 'best score', text: ({ fold }) => formatScore(fold.bestScore) },
];

const costs: readonly CostRow[] = [
  { name: 'rollouts', cost: ({ fold }) => fold.rollouts, format: formatCount },
  { name: 'nodes', cost: ({ fold }) => fold.nodes, format: formatCount },
  { name: 'most strands open', cost: ({ widest }) => widest, format: formatCount },
  { name: 'tokens in the tree', cost: ({ fold }) => fold.cost?.committedTokens ?? fold.tokens, format: formatCount },
  { name: 'tokens thrown away', cost: ({ fold }) => thrownAway(fold), format: formatCount },
  { name: 'tokens of the verifier', cost: ({ fold }) => fold.cost?.verifierTokens, format: formatCount },
  { name: 'waited', cost: ({ fold }) => between(fold.submittedMs, fold.admittedMs), format: formatDuration },
  { name: 'took', cost: ({ fold }) => between(fold.admittedMs, fold.exitedMs), format: formatDuration },
];

export function compare(first: ComparedSearch, second: ComparedSearch): ComparisonRow[] {
  return [
    ...texts.map(({ name, text }) => ({ name, values: [text(first), text(second)] as const, ratio: '' })),
    ...costs.map((row) => costRow(row, row.cost(first), row.cost(second))),
  ];
}

function costRow({ name, format }: CostRow, first: number | undefined, second: number | undefined): ComparisonRow {
  const values = [first, second].map((value) => (value === undefined ? none : format(value)));
  // A value shown as 0 was too small to measure: it has no ratio.
  const comparable = first !== undefined && second !== undefined && first > 0 && values[0] !== format(0);
  const ratio = comparable ? formatRatio(second / first) : '';
  return { name, values: [values[0]!, values[1]!], ratio };
}

function exitWords({ exit }: SearchFold): string {
  return `${exit!.kind}: ${describeExit(exit!)}`;
}

function thrownAway({ cost }: SearchFold): number | undefined {
  return cost && cost.discardedTokens + cost.speculativeTokens;
}

function between(fromMs: number | undefined, toMs: number | undefined): number | undefined {
  return fromMs === undefined || toMs === undefined ? undefined : toMs - fromMs;
}
