// Files and batches as OpenAI's clients read them. Times are in seconds.

import { z } from 'zod';
import { list, maybeText, text, type Written } from './parts.ts';

export const fileJson = z.object({
  id: text,
  object: z.literal('file'),
  bytes: z.int(),
  created_at: z.int(),
  expires_at: z.int().nullable(),
  filename: text,
  purpose: z.enum(['batch', 'batch_output']),
  status: z.literal('processed'),
  status_details: z.null(),
});
export type FileJson = Written<typeof fileJson>;

const batchProblem = z.object({
  code: text,
  message: text,
  line: z.int().nullable(),
  param: maybeText,
});
export type BatchProblem = Written<typeof batchProblem>;

const batchStatus = z.enum([
  'validating',
  'failed',
  'in_progress',
  'finalizing',
  'completed',
  'expired',
  'cancelling',
  'cancelled',
]);
export type BatchStatus = Written<typeof batchStatus>;

const seconds = z.int().nullable();
export const batchJson = z.object({
  id: text,
  object: z.literal('batch'),
  endpoint: text,
  errors: list(batchProblem).nullable(),
  input_file_id: text,
  completion_window: z.literal('24h'),
  status: batchStatus,
  output_file_id: maybeText,
  error_file_id: maybeText,
  created_at: seconds,
  in_progress_at: seconds,
  expires_at: seconds,
  finalizing_at: seconds,
  completed_at: seconds,
  failed_at: seconds,
  expired_at: seconds,
  cancelling_at: seconds,
  cancelled_at: seconds,
  request_counts: z.object({ total: z.int(), completed: z.int(), failed: z.int() }),
  metadata: z.record(text, text).nullable(),
});
export type BatchJson = Written<typeof batchJson>;
