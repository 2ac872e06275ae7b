// Tells a search that weighs what it does next (tree/readings/worth.ts) what going on costs now. The price of its effort rises with the
// number of those that wait, and on a slow engine: answers get a little worse before they get late, the least promising first. Its judge is
// as dear and as trusted as when it began.

import type { Judging, Terms } from '../../tree/events.ts';
import { worthConstants } from '../../tree/readings/worth.ts';
import type { RuntimeParts } from '../parts/parts.ts';
import type { Search } from '../search/search.ts';

/** Growth of the price with the strands that are waited for, in strands that there are. */
const steepness = 4;
/** A stream slower than this, about thirty tokens a second, makes people wait: its price rises with the square, as with the load. At most eight times: two samples that differ are no answer. */
const easyTokenMs = 32;
const slowest = 8;

export function price(parts: RuntimeParts, search: Search, nowMs: number): void {
  const { price: usual } = search.request.limits;
  const { tree } = search;
  if (usual === undefined) return;
  const price = usual * (search.isIdle ? 1 : waitFactor(parts));
  const hurried = isHurried(search, nowMs) ? true : undefined;
  const { terms: before } = tree;
  if (before?.price === price && before.hurried === hurried) return;
  const terms: Terms = { price, judge: before === undefined ? judging(parts) : before.judge, hurried };
  tree.record({ type: 'priced', ...terms });
}

/** In steps of √2: a change that does not matter is not logged. */
function waitFactor({ queue, service }: RuntimeParts): number {
  let waiting = 0;
  for (const { isIdle } of queue.searches.values()) if (!isIdle) waiting += worthConstants.firstWave;
  const slowness = Math.min(slowest, Math.max(1, service.tokenMs / easyTokenMs) ** 2);
  const factor = (1 + (steepness * waiting) / queue.budget) ** 2 * slowness;
  return 2 ** (Math.round(2 * Math.log2(factor)) / 2);
}

/** More of its time is over than is left. */
function isHurried({ request, arrivalMs }: Search, nowMs: number): boolean {
  const { deadlineMs = Number.POSITIVE_INFINITY } = request.limits;
  return nowMs - arrivalMs > deadlineMs / 2;
}

/** A verifier that reads log probabilities is the generator's own confidence: no judge. */
function judging({ options, service }: RuntimeParts): Judging | undefined {
  const given = options.trust?.();
  if (options.verifier === undefined || options.verifier.capabilities.readsLogprobs || given === null) return undefined;
  const { readingCost = 1, trust = worthConstants.usualTrust } = options.verifier.capabilities;
  return { cost: service.readingCost ?? readingCost, trust: given ?? trust };
}
