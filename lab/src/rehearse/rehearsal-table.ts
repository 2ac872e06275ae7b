// The table of a rehearsal: the columns of `sim`, the servers' load and, with a prediction, its error. Ratios compare the
// same questions at the same instants: above 1 is better.

import { mean } from '@coppice/core/base';
import { tableLines } from 'coppice/bench';
import { latenciesOf, outcomeOf, tookMs, warmUpShare, yieldOf } from '../service/index.ts';
import { percentile } from '../statistics.ts';
import { type Prediction, predictedLoad } from './prediction.ts';
import type { RehearsalResult } from './rehearsal.ts';
import { isComplete, type RehearsalRecord } from './result-file.ts';

type RehearsedRow = ReturnType<typeof rowOf> & {
  /** Compared with the base row at the same load, question by question. */
  readonly pairs?: Pairs;
};

interface Pairs {
  readonly gain: number;
  /** Questions whose exit, rollouts or correctness differ. */
  readonly different: number;
}

export function rehearsedRows(
  records: readonly RehearsalRecord[],
  base: string,
  prediction: Prediction | undefined,
): RehearsedRow[] {
  return records.map((record) => {
    const other = records.find(({ point }) => point.row === base && point.load === record.point.load);
    const paired = other !== undefined && other !== record && isComplete(other) && isComplete(record);
    return { ...rowOf(record, prediction), ...(paired && { pairs: pairsOf(other.result, record.result) }) };
  });
}

function pairsOf({ served: others }: RehearsalResult, { served }: RehearsalResult): Pairs {
  return {
    gain: Math.exp(mean(served.map((each, at) => Math.log(tookMs(others[at]!) / tookMs(each))))),
    different: served.filter((each, at) => outcomeOf(each) !== outcomeOf(others[at]!)).length,
  };
}

function rowOf({ point, result }: RehearsalRecord, prediction: Prediction | undefined) {
  const { accuracy, exits, tokens } = yieldOf(result);
  const { throughputPerSecond } = latenciesOf(result);
  const took = tookSeconds(result);
  const seconds = result.elapsedMs / 1000;
  const predicted = prediction && predictedLoad(prediction, point, point.load, point.row);
  return {
    row: point.row,
    load: point.load,
    requests: point.requests,
    ended: result.served.length,
    p50Seconds: percentile(took, 50),
    p90Seconds: percentile(took, 90),
    p99Seconds: percentile(took, 99),
    /** Requests over the time from the first arrival to the last end. */
    throughput: throughputPerSecond,
    tokens,
    accuracy,
    exits: (['accepted', 'futile', 'exhausted'] as const).map((kind) => exits[kind] ?? 0),
    tokensPerSecond: result.generatedTokens / seconds,
    sequences: result.sequences,
    scoresPerSecond: result.scores / seconds,
    scoreSeconds: result.scoreMs && result.scoreMs / 1000,
    cachedShare: result.cachedTokens / Math.max(1, result.cachedTokens + result.computedTokens),
    /** Cores that this process used. */
    cpu: result.cpuMs / result.elapsedMs,
    predicted: predicted && {
      p50Seconds: predicted.p50Ms / 1000,
      p90Seconds: predicted.p90Ms / 1000,
      p99Seconds: predicted.p99Ms / 1000,
      tokens: predicted.yield.tokens,
    },
  };
}

/** Unfinished requests count with the time they had been there. */
function tookSeconds({ served, unfinishedMs }: RehearsalResult): number[] {
  const warm = served.slice(Math.floor(warmUpShare * served.length));
  return [...warm.map(tookMs), ...unfinishedMs].map((ms) => ms / 1000);
}

interface TextColumn {
  readonly heading: string;
  readonly of: (row: RehearsedRow, among: readonly RehearsedRow[]) => string;
}

const number = (value: number | undefined, digits: number): string => value?.toFixed(digits) ?? '';
const atLeast = ({ requests, ended }: RehearsedRow, seconds: number): string =>
  `${ended < requests ? '≥' : ''}${seconds.toFixed(1)}`;

function against(name: string, read: (row: RehearsedRow) => number): TextColumn['of'] {
  return (row, among) => {
    const other = among.find((each) => each.row === name);
    return other === undefined ? '' : (read(other) / read(row)).toFixed(2);
  };
}

function columnsOf(base: string): TextColumn[] {
  return [
    { heading: 'policy', of: ({ row }) => row },
    { heading: 'ended', of: ({ ended, requests }) => `${ended}/${requests}` },
    { heading: 'p50 s', of: (row) => atLeast(row, row.p50Seconds) },
    { heading: 'p90 s', of: (row) => atLeast(row, row.p90Seconds) },
    { heading: 'p99 s', of: (row) => atLeast(row, row.p99Seconds) },
    { heading: 'req/s', of: ({ throughput }) => number(throughput, 2) },
    { heading: 'tokens', of: ({ tokens }) => number(tokens, 0) },
    { heading: 'acc %', of: ({ accuracy }) => number(accuracy, 1) },
    { heading: 'exits %', of: ({ exits }) => exits.map((each) => each.toFixed(0)).join('/') },
    { heading: '|  p50 ×b', of: against(base, ({ p50Seconds }) => p50Seconds) },
    { heading: 'p90 ×b', of: against(base, ({ p90Seconds }) => p90Seconds) },
    { heading: 'p99 ×b', of: against(base, ({ p99Seconds }) => p99Seconds) },
    { heading: 'tok ×b', of: against(base, ({ tokens }) => tokens) },
    { heading: 'pairs ×b', of: ({ pairs }) => number(pairs?.gain, 2) },
    { heading: 'differ', of: ({ pairs }) => number(pairs?.different, 0) },
    { heading: '|  tok/s', of: ({ tokensPerSecond }) => number(tokensPerSecond, 0) },
    { heading: 'seqs', of: ({ sequences }) => number(sequences, 0) },
    { heading: 'cached %', of: ({ cachedShare }) => number(100 * cachedShare, 0) },
    { heading: 'scores/s', of: ({ scoresPerSecond }) => number(scoresPerSecond, 1) },
    { heading: 'score s', of: ({ scoreSeconds }) => number(scoreSeconds, 2) },
    { heading: 'CPU', of: ({ cpu }) => number(cpu, 2) },
  ];
}

type PredictedFigure = keyof NonNullable<RehearsedRow['predicted']>;

function predictedColumns(base: string): TextColumn[] {
  const figures: readonly [string, PredictedFigure, number][] = [
    ['p50 s', 'p50Seconds', 1],
    ['p90 s', 'p90Seconds', 1],
    ['p99 s', 'p99Seconds', 1],
    ['tokens', 'tokens', 0],
  ];
  return [
    { heading: 'policy', of: ({ row }) => row },
    ...figures.flatMap(([name, figure, digits]): TextColumn[] => [
      { heading: name, of: ({ predicted }) => number(predicted?.[figure], digits) },
      { heading: 'error', of: (row) => percent(errorOf(row, figure)) },
    ]),
    ...figures.map(([name, figure]): TextColumn => {
      return {
        heading: `${name.replace(' s', '')} ×b error`,
        of: (row, among) => ratioError(row, among, figure, base),
      };
    }),
  ];
}

/** Predicted over measured, less one. */
function errorOf(row: RehearsedRow, figure: PredictedFigure): number | undefined {
  return row.predicted && row.predicted[figure] / row[figure] - 1;
}

function ratioError(row: RehearsedRow, among: readonly RehearsedRow[], figure: PredictedFigure, base: string): string {
  const other = among.find((each) => each.row === base);
  if (other?.predicted === undefined || row.predicted === undefined || other === row) return '';
  return percent(other.predicted[figure] / row.predicted[figure] / (other[figure] / row[figure]) - 1);
}

function percent(share: number | undefined): string {
  return share === undefined ? '' : `${share > 0 ? '+' : ''}${(100 * share).toFixed(0)} %`;
}

export function rehearsalTable(rows: readonly RehearsedRow[], base: string): string {
  const measured = grouped(columnsOf(base), rows);
  const predicted = rows.filter((row) => row.predicted !== undefined);
  if (predicted.length === 0) return measured;
  const head = `Predicted, and how far off: predicted over measured, less one; of figures, then of ratios to ${base}.`;
  return `${measured}\n\n${head}\n\n${grouped(predictedColumns(base), predicted)}`;
}

function grouped(columns: readonly TextColumn[], rows: readonly RehearsedRow[]): string {
  const groups = [...Map.groupBy(rows, ({ load }) => load)];
  const cells = groups.flatMap(([, among]) => among.map((row) => columns.map(({ of }) => of(row, among))));
  const [heading = '', ...lines] = tableLines([columns.map((column) => column.heading), ...cells]);
  const left = [...lines];
  const told = groups.flatMap(([load, among]) => [`load ${load}`, ...left.splice(0, among.length), '']);
  return [heading, '-'.repeat(heading.length), ...told].join('\n').trimEnd();
}
