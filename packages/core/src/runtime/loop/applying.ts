// Carries out the scheduler's decision: preempts, sets widths, admits, reorders requests. Decides nothing.

import { assert } from '../../base/assert.ts';
import type { Decision, Reason, Width } from '../../scheduler/scheduler.ts';
import { tellingUrgency } from '../../scheduler/turns/order.ts';
import { leastPromising } from '../../tree/strand.ts';
import type { RuntimeParts } from '../parts/parts.ts';
import type { Search } from '../search/search.ts';
import { price } from './pricing.ts';

type Reasons = Decision['reasons'];

export function apply(
  parts: RuntimeParts,
  { preempt, widths, admit, urgencies, reasons }: Decision,
  nowMs: number,
): void {
  const { queue, searches } = parts;
  const { running } = searches;
  for (const [id, count] of preempt) preemptSearch(parts, running.get(id), count, reasons.get(id));
  for (const search of running.values()) {
    setWidth(parts, search, widths.get(search.id), reasons, nowMs);
  }
  for (const id of admit) {
    if (queue.serveGuest(id)) continue;
    admitSearch(parts, queue.searches.get(id), widths.get(id), reasons, nowMs);
  }
  for (const [id, urgency] of urgencies ?? []) setUrgency(parts, running.get(id), urgency);
}

function preemptSearch(
  { logs, strands, searches }: RuntimeParts,
  search: Search | undefined,
  count: number,
  why: Reason | undefined,
): void {
  assert(search !== undefined, 'the scheduler preempts a search that does not run');
  for (const strand of leastPromising(search.tree, count)) {
    logs.add(search, { type: 'preempted', strand, ...(why && { why }) });
    strands.close(search, strand, 'preempted');
    searches.touch(search);
  }
}

function setWidth(
  { logs, speculation, searches }: RuntimeParts,
  search: Search,
  width: Width | undefined,
  reasons: Reasons,
  nowMs: number,
): void {
  assert(width !== undefined, `the scheduler forgets ${search.id}`);
  assert(width.primary >= (search.isIdle ? 0 : 1), `the scheduler gives ${search.id} no strand`);
  const { primary, speculative } = width;
  if (primary === search.width.primary && speculative === search.width.speculative) return;
  if (primary > search.width.primary || speculative > search.width.speculative) searches.touch(search);
  search.width = width;
  if (!search.hasLog) return;
  speculation.shrink(search, speculative, nowMs);
  const why = reasons.get(search.id);
  logs.add(search, { type: 'width', primary, speculative, ...(why && { why }) });
}

/** Tells waiting requests of changes that matter; new requests carry the urgency anyway. */
function setUrgency(parts: RuntimeParts, search: Search | undefined, urgency: number): void {
  if (search === undefined) return;
  const told = search.urgency;
  if (told !== undefined && Math.abs(urgency - told) < tellingUrgency) return;
  search.urgency = urgency;
  if (told !== undefined) parts.flights.reorder(search);
}

function admitSearch(
  parts: RuntimeParts,
  search: Search | undefined,
  width: Width | undefined,
  reasons: Reasons,
  nowMs: number,
): void {
  assert(search !== undefined && width !== undefined, 'the scheduler admits a search that does not wait');
  const { queue, searches, logs } = parts;
  queue.serve(search);
  searches.running.set(search.id, search);
  if (search.hasLog) return begin(parts, search, width, reasons, nowMs);
  search.width = width;
  logs.want(search);
}

export function begin(parts: RuntimeParts, search: Search, width: Width, reasons: Reasons, nowMs: number): void {
  const { logs, strands, seeder, speculation } = parts;
  search.admittedMs = nowMs;
  search.width = { primary: 0, speculative: 0 };
  seeder.plant(search);
  logs.add(search, { type: 'admitted' });
  price(parts, search, nowMs);
  setWidth(parts, search, width, reasons, nowMs);
  if (search.log !== 'read') return;
  for (const expansion of strands.takeUp(search)) speculation.launch(search, expansion, nowMs);
}
