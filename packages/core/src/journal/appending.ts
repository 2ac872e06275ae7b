// Tells the listeners of a journal what became of an entry.

import type { AppendResult, JournalListener } from './journal.ts';

export function tellAppended(
  listeners: readonly JournalListener[],
  search: string,
  sequence: number,
  result: AppendResult,
): void {
  if (result === 'differs')
    return tellRefused(listeners, search, `its log has another entry at ${sequence} than the one that was written`);
  for (const each of listeners) {
    if (result === 'stored') each.durable?.(search, sequence);
    else each.lost?.(search);
  }
}

export function tellRefused(listeners: readonly JournalListener[], search: string, why: string): void {
  for (const each of listeners) each.refused?.(search, why);
}
