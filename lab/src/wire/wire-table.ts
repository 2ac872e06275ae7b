// The table of `lab -- wire`: a line per row, beside the same server alone with as many strands.

import { type Block, type TableColumn, tableOf } from '../experiment/table.ts';
import type { AbortFigures, ReadingSpread, WindowFigures } from './wire-load.ts';

export const wireRows = ['alone', 'samples', 'judged', 'mcts', 'beam'] as const;
export type WireRow = (typeof wireRows)[number];

export interface WireLine extends WindowFigures {
  readonly strands: number;
  readonly row: WireRow;
  /** Of the server alone: the row that followed it, and is compared with it. */
  readonly before?: WireRow;
  /** Undefined for the server alone, and where it does not say what it runs. */
  readonly abort?: AbortFigures | undefined;
}

export function wireTable(lines: readonly WireLine[]): Block[] {
  const columns: readonly TableColumn<WireLine>[] = [
    { heading: 'strands', of: ({ strands }) => strands },
    { heading: 'row', left: true, of: ({ row }) => row },
    { heading: 'tok/s', of: ({ tokensPerSecond }) => tokensPerSecond.toFixed(0) },
    { heading: 'share', of: (line) => shareOf(line, lines)?.toFixed(3) ?? '' },
    { heading: 'req/s', of: ({ requestsPerSecond: rate }) => (rate === 0 ? '' : rate.toFixed(rate < 10 ? 1 : 0)) },
    { heading: 'running', of: ({ running }) => spreadText(running) },
    { heading: 'waiting', of: ({ waiting }) => spreadText(waiting) },
    { heading: 'CPU', of: ({ cpuMs }) => cpuMs.toFixed(cpuMs < 10 ? 1 : 0) },
    { heading: 'lag', of: ({ lagMs }) => lagMs.toFixed(0) },
    { heading: 'abort', of: ({ abort }) => abort?.lastTokenMs.toFixed(0) ?? '' },
  ];
  return [tableOf(columns, lines), legend];
}

const legend = [
  'share: of the tokens a second of the line alone above. running, waiting: at the',
  'server, smallest/median/largest. CPU: ms of this process per 1,000 tokens. lag:',
  'of its event loop, ms (p99). abort: ms from cancelling all to the last token. A',
  'strand of mcts or beam draws several siblings at a time.',
].join('\n');

/** The row's share of the matching measurement of the server alone. */
export function shareOf({ strands, row, tokensPerSecond }: WireLine, lines: readonly WireLine[]): number | undefined {
  if (row === 'alone') return undefined;
  const alone = lines.filter((line) => line.row === 'alone' && line.strands === strands);
  const own = alone.find(({ before }) => before === row) ?? alone[0];
  return own && tokensPerSecond / own.tokensPerSecond;
}

function spreadText(spread: ReadingSpread | undefined): string {
  return spread === undefined ? '' : spread.map((value) => value.toFixed(0)).join('/');
}
