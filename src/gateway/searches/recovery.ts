// What a former process left in the journal, read back: a record becomes a live search at once, a log its fold and its
// tree when the search's turn has come.

import type { SearchPlan } from '../../answering/plan/search-plan.ts';
import type { Clock } from '../../base/clock.ts';
import { FaultError, raise } from '../../base/fault.ts';
import type { Journal, Plain, SearchRecord } from '../../journal/journal.ts';
import { readLog } from '../../journal/read-log.ts';
import { eventsIn } from '../../log/entry.ts';
import type { LoggedEvent } from '../../log/events.ts';
import { policyKnobs } from '../../policy/knobs.ts';
import { ApiError } from '../http/api-error.ts';
import type { Log } from '../observe/log.ts';
import { LiveSearch } from './live-search.ts';

/** A search that was taken up so often ends the processes that take it up: hand-overs alone never come near it. */
const mostEpochs = 100;
/** After so many runs that ended with their process and brought no answer, it is not run again: it may be what ends them. */
const mostRuns = 2;

interface RecoveryOptions {
  readonly journal: Journal;
  readonly models: ReadonlyMap<string, unknown>;
  readonly clock: Clock;
  readonly log: Pick<Log, 'warn'>;
}

/** Undefined where another process has it, or where it cannot go on and has been ended as failed. */
export async function revive(record: SearchRecord, options: RecoveryOptions): Promise<LiveSearch | undefined> {
  const { journal, models, clock } = options;
  const claimed = journal.claim(record.id, record.epoch, clock.nowMs());
  // No other write is on its way: there is no company to wait for.
  await journal.flush().catch(() => {});
  if (!(await claimed)) return undefined;
  if (record.runs >= mostRuns)
    return giveUp(record, `${record.runs} processes died while they ran it and before it got any further`, options);
  if (record.epoch >= mostEpochs)
    return giveUp(record, `it was taken up ${mostEpochs} times, and never ended`, options);
  const plan = record.request?.plan as SearchPlan | undefined;
  if (plan === undefined) return giveUp(record, 'its texts were not kept', options);
  if (!models.has(plan.model)) return giveUp(record, `model '${plan.model}' is gone`, options);
  try {
    return searchOf(record, plan);
  } catch (error) {
    // A plan of another version: its program or one of its options is not known any more.
    return giveUp(record, error instanceof FaultError ? error.fault.message : 'its plan cannot be read', options);
  }
}

/** Brings the fold up to date. `tell` is told of every event after its entry was folded. */
export async function replayLog(
  journal: Journal,
  { id, fold }: Pick<LiveSearch, 'id' | 'fold'>,
  tell: (event: LoggedEvent) => void = () => {},
): Promise<void> {
  for await (const page of readLog(journal, id, fold.sequence)) {
    for (const entry of page) {
      fold.apply(entry);
      for (const event of eventsIn(entry)) tell(event);
    }
    if (fold.fault !== undefined) raise('bad-event', fold.fault);
  }
}

/** As it was accepted. */
export function searchOf(record: SearchRecord, plan: SearchPlan): LiveSearch {
  const { id, owner, background, createdMs } = record;
  const { body = {}, chat } = (record.request ?? {}) as { readonly body?: Plain; readonly chat?: Plain };
  const escalatedFrom = (record.about.escalated_from ?? null) as string | null;
  const title = record.title ?? '';
  // Records of older versions have no turn: by arrival, as if they had had no priority.
  const turn = typeof record.about.turn === 'number' ? record.about.turn : createdMs / 1000;
  const home = typeof record.about.home === 'string' ? { home: record.about.home } : {};
  const kept = { ...renamed(plan), policyOptions: knownOptions(plan.policyOptions) };
  const known = { id, owner, plan: kept, body, background, createdMs, title, escalatedFrom };
  const search = new LiveSearch({ ...known, ...(chat && { chat }), ...home });
  search.turn = turn;
  search.epoch = record.epoch + 1;
  search.runs = record.runs;
  search.startedMs = record.startedMs;
  return search;
}

/** Best-first search was `mcts` with `expansion: lazy` once; its trees are the same. */
function renamed(plan: SearchPlan): SearchPlan {
  const isLazy = plan.program === 'mcts' && plan.programOptions.expansion === 'lazy';
  return isLazy ? { ...plan, program: 'best-first' } : plan;
}

/** Drops options that a plan of another version has and this one does not know. */
function knownOptions(options: SearchPlan['policyOptions']): SearchPlan['policyOptions'] {
  const known = Object.entries(options).filter(([name]) => Object.hasOwn(policyKnobs, name));
  return Object.fromEntries(known) as SearchPlan['policyOptions'];
}

/** One that has ended, with its log. Only for records with texts. */
export async function readBack(journal: Journal, record: SearchRecord): Promise<LiveSearch> {
  const search = searchOf(record, record.request?.plan as SearchPlan);
  await replayLog(journal, search);
  return search;
}

/** It is set aside as failed, under the epoch that this process has claimed. */
export async function giveUp(
  { id, epoch }: SearchRecord,
  reason: string,
  options: RecoveryOptions,
): Promise<undefined> {
  const { message, body: error } = new ApiError('internal', `the search could not be resumed: ${reason}`);
  options.log.warn('set-aside', { search: id, message });
  const ending = { state: 'failed', endedMs: options.clock.nowMs(), outcome: { error }, texts: {} } as const;
  await options.journal.finish(id, epoch + 1, ending);
}
