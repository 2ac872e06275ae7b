// Reads a whole log page by page.

import type { Journal } from '../../packages/core/src/journal/journal.ts';
import { readLog } from '../../packages/core/src/journal/read-log.ts';
import type { LogEntry } from '../../packages/core/src/log/entry.ts';

export async function wholeLog(journal: Journal, search: string): Promise<LogEntry[]> {
  const entries: LogEntry[] = [];
  for await (const page of readLog(journal, search)) entries.push(...page);
  return entries;
}
