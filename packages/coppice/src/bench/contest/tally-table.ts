// Prints tallies as a table, with tokens per question: generated, computed by the engine (prefixes included), computed by the verifier.

import type { Interval } from '../statistics.ts';
import { tableLines } from '../text-table.ts';
import type { Tally, Waste } from './tally.ts';

const head = ['contender', 'right %', 'p50 s', 'p95 s', 'generated', 'engine', 'verifier', 'exits %'] as const;
const letters: Readonly<Record<string, string>> = { accepted: 'acc', futile: 'fut', exhausted: 'exh', failed: 'fail' };

export function tallyTable(tallies: readonly Tally[]): string {
  const rows = tallies.map((each) => [
    each.contender,
    percent(each.accuracy),
    seconds(each.p50Ms),
    secondsText(each.p95Ms.value),
    each.tokens.toFixed(0),
    each.computedTokens.toFixed(0),
    each.scoredTokens.toFixed(0),
    exitText(each.exits),
  ]);
  return [
    ...tableLines([head, ...rows], (column) => column === 0 || column === head.length - 1),
    ...wasteLines('without a solution', tallies, ({ unsolvable }) => unsolvable),
    ...wasteLines('that no contender solved', tallies, ({ unsolved }) => unsolved),
  ].join('\n');
}

/** Share of searches that ended before their deadline; the others gave their best so far. */
export function deadlineLines(tallies: readonly Tally[]): string[] {
  const lines = tallies.map(
    ({ contender, exits }) =>
      `  ${contender.padEnd(24)} ${(100 * (1 - (exits.deadline ?? 0))).toFixed(1).padStart(5)} %`,
  );
  return ['ended by themselves before the deadline', ...lines];
}

function wasteLines(which: string, tallies: readonly Tally[], wasteOf: (tally: Tally) => Waste): string[] {
  const count = Math.max(...tallies.map((each) => wasteOf(each).questions));
  if (count === 0) return [];
  const lines = tallies.map((each) => {
    const { futile, tokens } = wasteOf(each);
    return `  ${each.contender.padEnd(24)} ${(100 * futile).toFixed(0).padStart(4)} %  ${tokens.toFixed(0).padStart(7)}`;
  });
  return ['', `${count} question${count === 1 ? '' : 's'} ${which}: given up as futile, mean tokens`, ...lines];
}

/** Value and half the width of its 95 % interval; the interval itself, which need not be symmetric, is in the JSON. */
function percent({ value, low, high }: Interval): string {
  return `${(100 * value).toFixed(1)} ±${(50 * (high - low)).toFixed(0)}`;
}

function seconds({ value, low, high }: Interval): string {
  return `${secondsText(value)}±${secondsText((high - low) / 2)}`;
}

function secondsText(ms: number): string {
  return (ms / 1000).toFixed(ms < 9_950 ? 1 : 0);
}

function exitText(exits: Readonly<Record<string, number>>): string {
  return Object.entries(exits)
    .map(([kind, share]) => `${letters[kind] ?? kind}${(100 * share).toFixed(0)}`)
    .join(' ');
}
