// `/v1/history`: searches that have ended, over a range of time, from the journal.

import { z } from 'zod';
import { flag, maybeNumber, number, text, type Written } from './parts.ts';

export const historyRanges = {
  '15m': { spanMs: 900_000, bucketMs: 15_000 },
  '1h': { spanMs: 3_600_000, bucketMs: 60_000 },
  '6h': { spanMs: 21_600_000, bucketMs: 300_000 },
  '24h': { spanMs: 86_400_000, bucketMs: 1_200_000 },
  '7d': { spanMs: 604_800_000, bucketMs: 7_200_000 },
  '30d': { spanMs: 2_592_000_000, bucketMs: 43_200_000 },
} as const;
export type HistoryRange = keyof typeof historyRanges;

const figures = {
  searches: number,
  tokens: number,
  p50_ms: maybeNumber,
  p99_ms: maybeNumber,
  exits: z.record(text, number),
};

/** Ended searches of a model by program. */
const kind = z.object({
  model: text,
  program: text,
  searches: number,
  /** Mean per search. */
  rollouts: number,
  /** Share of pairs of samples in which the verifier agrees with the vote, and questions on which samples disagreed. */
  judge_agreement: maybeNumber,
  split_questions: number,
});
export type HistoryKindJson = Written<typeof kind>;

const bucket = z.object({ from_ms: number, ...figures });
export type HistoryBucketJson = Written<typeof bucket>;

export const historyJson = z.object({
  object: z.literal('history'),
  range: z.enum(Object.keys(historyRanges) as [HistoryRange, ...HistoryRange[]]),
  from_ms: number,
  to_ms: number,
  bucket_ms: number,
  /** False if the range holds more searches than are read: the oldest are left out. */
  complete: flag,
  total: z.object(figures),
  buckets: z.array(bucket),
  kinds: z.array(kind),
});
export type HistoryJson = Written<typeof historyJson>;
