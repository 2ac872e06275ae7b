// The results of a rehearsal, one line of JSON per finished point, so that a rehearsal can resume. A point that the clock cut is run
// again, and its newest line counts.

import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { raise } from '@coppice/core/base';
import type { RehearsalPoint, RehearsalResult } from './rehearsal.ts';

export interface RehearsalRecord {
  readonly point: RehearsalPoint;
  readonly at: string;
  readonly version: string;
  /** SHA-256 of the prediction's file. */
  readonly prediction?: string;
  readonly result: RehearsalResult;
}

export function readRecords(file: string): RehearsalRecord[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.flatMap((line, at) => (line === '' ? [] : [recordOf(line, `${file} line ${at + 1}`)]));
}

export function addRecord(file: string, record: RehearsalRecord): void {
  appendFileSync(file, `${JSON.stringify(record)}\n`);
}

export function findRecord(records: readonly RehearsalRecord[], point: RehearsalPoint): RehearsalRecord | undefined {
  // The rate is part of a point: a new prediction makes new points.
  const key = JSON.stringify(point);
  return records.findLast((each) => JSON.stringify(each.point) === key);
}

export function isComplete({ point, result }: RehearsalRecord): boolean {
  return result.served.length === point.requests;
}

function recordOf(line: string, where: string): RehearsalRecord {
  try {
    const record = JSON.parse(line) as RehearsalRecord;
    if (Array.isArray(record.result.served) && typeof record.point.row === 'string') return record;
  } catch {
    // Reported below: a torn line and a foreign file have the same remedy.
  }
  return raise('bad-setting', `${where} is no result of a rehearsal; name another file, or remove it`);
}
