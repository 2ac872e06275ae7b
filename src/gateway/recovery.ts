// What a former process left in the journal, read back: a record becomes a live search, a log its mirror and its tree.

import type { Journal, Plain, SearchRecord } from '../journal/journal.ts';
import { isTreeEvent, type LoggedEvent, type SearchEvent } from '../runtime/events.ts';
import type { Aggregation } from '../tree/aggregate.ts';
import type { TreeEvent } from '../tree/events.ts';
import { LiveSearch } from './live-search.ts';
import type { SearchPlan } from './plan.ts';

const pageSize = 1000;

/** Undefined where the texts that it takes were not kept. */
export function planOf(record: SearchRecord): SearchPlan | undefined {
  return record.request?.plan as SearchPlan | undefined;
}

export function revive(record: SearchRecord, plan: SearchPlan, epoch: number): LiveSearch {
  const { id, owner, background, createdMs } = record;
  const body = (record.request?.body ?? {}) as Plain;
  const escalatedFrom = (record.about.escalated_from ?? null) as string | null;
  const search = new LiveSearch({
    id,
    owner,
    plan,
    body,
    background,
    createdMs,
    title: record.title ?? '',
    escalatedFrom,
  });
  search.epoch = epoch;
  search.startedMs = record.startedMs;
  return search;
}

/** Brings the mirror up to date and gives the events of the tree. */
export async function replayLog(journal: Journal, { id, mirror }: LiveSearch): Promise<TreeEvent[]> {
  const events: TreeEvent[] = [];
  for (let after = -1; ; ) {
    const entries = await journal.read(id, after, pageSize);
    for (const entry of entries) {
      const event = entry.event as SearchEvent;
      if (entry.sequence > mirror.sequence) mirror.apply({ ...entry, event });
      if (isTreeEvent(event)) events.push(event);
    }
    after = entries.at(-1)?.sequence ?? after;
    if (entries.length < pageSize) return events;
  }
}

/** The first event of a tree, for a log that a crash cut off before it. */
export function plantAgain({ id, mirror }: LiveSearch, aggregation: Aggregation, atMs: number): LoggedEvent {
  return { search: id, sequence: mirror.sequence + 1, atMs, event: { type: 'planted', aggregation } };
}
