// Reads a batch's file, one request per line. A malformed line fails the batch; a wrong body is answered in its line's result.

import { nextSlice } from '@coppice/core/base';
import { issueLine } from '@coppice/core/config';
import type { Plain } from '@coppice/core/journal';
import { z } from 'zod';
import { unfolded } from '../dialects/fields.ts';
import { record } from '../dialects/unchecked.ts';
import { ApiError } from '../http/api-error.ts';
import { parseJson } from '../http/exchange.ts';
import type { BatchProblem } from '../wire/document-json.ts';

export interface BatchLine {
  readonly at: number;
  readonly customId: string;
  readonly body: Plain;
}

const lineSchema = z.strictObject({
  custom_id: z.string().min(1).max(512),
  method: z.literal('POST'),
  url: z.string(),
  body: z.record(z.string(), z.unknown()),
});

const mostProblems = 100;

/** Characters per turn of the event loop: a few milliseconds. */
const sliceChars = 262_144;

export async function readBatchLines(
  text: string,
  endpoint: string,
  { requests: most, bodyBytes }: { readonly requests: number; readonly bodyBytes: number },
): Promise<{ readonly lines: readonly BatchLine[]; readonly problems: readonly BatchProblem[] }> {
  const problems: BatchProblem[] = [];
  const lines: BatchLine[] = [];
  const seen = new Set<string>();
  let read = 0;
  for (const { at, each, end } of linesOf(text)) {
    if (end - read >= sliceChars) {
      read = end;
      await nextSlice();
    }
    if (problems.length >= mostProblems) break;
    if (each.trim() === '') continue;
    const line = readLine(each, at, endpoint, bodyBytes);
    if ('code' in line) problems.push(line);
    else if (seen.has(line.customId))
      problems.push(problemOf('duplicate_custom_id', `'custom_id' ${line.customId} occurs twice`, at, 'custom_id'));
    else {
      seen.add(line.customId);
      lines.push(line);
    }
  }
  if (problems.length === 0 && lines.length === 0)
    problems.push(problemOf('empty_file', 'the file has no request', undefined, null));
  if (lines.length > most)
    problems.push(problemOf('too_many_requests', `the file has ${lines.length} requests; at most ${most}`));
  return { lines, problems };
}

function* linesOf(text: string): Generator<{ readonly at: number; readonly each: string; readonly end: number }> {
  for (let at = 0, start = 0; start < text.length; at += 1) {
    const found = text.indexOf('\n', start);
    const end = found < 0 ? text.length : found;
    yield { at, each: text.slice(start, end), end };
    start = end + 1;
  }
}

function readLine(text: string, at: number, endpoint: string, bodyBytes: number): BatchLine | BatchProblem {
  // The same bound holds for a single request.
  if (text.length > bodyBytes) return problemOf('invalid_json_line', `the line is longer than ${bodyBytes} bytes`, at);
  const value = jsonOf(text);
  if (value instanceof ApiError && value.code === 'invalid_value')
    return problemOf('invalid_json_line', value.message, at, value.param);
  const parsed = lineSchema.safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const name = issue?.path.join('.') ?? '';
    const where = name === '' ? 'the line' : `'${name}'`;
    return problemOf('invalid_json_line', issueLine(where, issue?.message ?? 'is no request'), at, name || null);
  }
  const { custom_id: customId, url, body } = parsed.data;
  if (url !== endpoint)
    return problemOf('mismatched_url', `'url' is ${url.slice(0, 64)}, and the batch is for ${endpoint}`, at, 'url');
  return { at, customId, body: record(unfolded(endpoint, body)) };
}

function jsonOf(text: string): unknown {
  try {
    return parseJson(Buffer.from(text));
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

export function problemOf(code: string, message: string, at?: number, param: string | null = null): BatchProblem {
  return { code, message, line: at === undefined ? null : at + 1, param };
}
