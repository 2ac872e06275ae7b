// Tells a search that weighs what it does next (tree/readings/worth.ts) what going on costs now. The price of its effort rises with the
// number of those that wait, and on a slow engine: answers get a little worse before they get late, the least promising first. Its judge is
// as dear and as trusted as when it began.

import { Random } from '../../base/random.ts';
import type { Judging, Terms } from '../../tree/events.ts';
import { agentTurn } from '../../tree/readings/agent-turn.ts';
import { beginnings, turns } from '../../tree/readings/branching.ts';
import { firstWaveOf, worthConstants } from '../../tree/readings/worth.ts';
import type { RuntimeParts } from '../parts/parts.ts';
import type { Search } from '../search/search.ts';

/** Growth of the price with the strands that are waited for, in strands that there are. */
const steepness = 4;
/** A stream slower than this, about thirty tokens a second, makes people wait: its price rises with the square, as with the load. At most four times, as the lowest effort does: slowness alone never ends a search after one sample. */
const easyTokenMs = 32;
const slowest = 4;

export function price(parts: RuntimeParts, search: Search, nowMs: number): void {
  const { price: usual } = search.request.limits;
  const { tree } = search;
  if (usual === undefined) return;
  const price = usual * (search.isIdle ? 1 : waitFactor(parts));
  const before = tree.terms ?? opening(parts, search, price);
  const late = before.late || isLate(parts, search, nowMs) ? true : undefined;
  if (tree.terms !== undefined && before.price === price && before.late === late) return;
  tree.record({ type: 'priced', ...before, price, late });
  parts.searches.isStale = true;
}

/** Terms that stay the same for the whole search. Waves are wide if strands are idle, the engine is known to be fast and tokens have no price; those of turns gain no time by it. */
function opening(parts: RuntimeParts, search: Search, price: number): Terms {
  const { service, queue, leases } = parts;
  const least = agentTurn(search.request.prompt) && worthConstants.turn;
  const usual = queue.usualPath(search.kind);
  const isCheap = search.request.writers === undefined && service.tokenMs > 0 && slownessOf(service) === 1;
  const isRoomy = queue.searches.size === 0 && 2 * leases.taken <= queue.budget;
  const hurried = isCheap && isRoomy && !search.isIdle && !least ? true : undefined;
  const isJudged = search.request.scoring !== 'self-consistency';
  const judge = isJudged ? judging(parts, search) : undefined;
  const terms: Terms = { price, judge, hurried, least, usual: least && usual ? Math.max(usual, least) : usual };
  return { ...terms, branches: branchesFrom(parts, search, terms) };
}

/** One search in so many branches to find out what that is worth: about a hundredth of all tokens. */
const tried = 20;

/** Fresh samples of the first wave of a search that branches, which leaves room for the others. Undefined elsewhere, and under load where fewer may do. */
function branchesFrom({ options }: RuntimeParts, { id, request }: Search, terms: Terms): number | undefined {
  const { limits, shape, seed, prompt } = request;
  const { judge, least } = terms;
  const { opens, switches } = options.engine.capabilities.thinking ?? {};
  const isAble = judge && !judge.isNew && judge.trust > 0 && !least && shape === undefined && !opens && !switches;
  if (!isAble || options.branches === undefined) return undefined;
  const most = limits.rollouts - turns;
  const wave = firstWaveOf({ ...terms, hurried: undefined }, most);
  const isShort = wave < beginnings;
  const lot = () =>
    new Random('branches', seed, JSON.stringify(prompt).slice(-1000)).integer(isShort ? 2 * tried : tried);
  const isMeant = options.branches(id) || lot() === 0;
  const isDear = isShort && terms.price > limits.price!;
  return isMeant && most >= beginnings && !isDear ? Math.max(beginnings, wave) : undefined;
}

/** In steps of √2: a change that does not matter is not logged. */
function waitFactor({ queue, service }: RuntimeParts): number {
  let waiting = 0;
  for (const { isIdle } of queue.searches.values()) if (!isIdle) waiting += worthConstants.firstWave;
  const factor = (1 + (steepness * waiting) / queue.budget) ** 2 * slownessOf(service);
  return 2 ** (Math.round(2 * Math.log2(factor)) / 2);
}

function slownessOf({ tokenMs }: RuntimeParts['service']): number {
  return Math.min(slowest, Math.max(1, tokenMs / easyTokenMs) ** 2);
}

/** Samples one after the other that a search wants time for; before their time is known it wants half of its own. */
const easyWaves = 3;

function isLate({ service, queue }: RuntimeParts, { request, arrivalMs, kind }: Search, nowMs: number): boolean {
  const { deadlineMs = Number.POSITIVE_INFINITY } = request.limits;
  const sampleMs = (queue.usualPath(kind) ?? 0) * service.streamMs;
  return deadlineMs - (nowMs - arrivalMs) < (sampleMs > 0 ? easyWaves * sampleMs : deadlineMs / 2);
}

/** A verifier that reads log probabilities is the generator's own confidence: no judge. */
function judging({ options, service }: RuntimeParts, { id }: Search): Judging | undefined {
  const given = options.trust?.(id);
  if (options.verifier === undefined || options.verifier.capabilities.readsLogprobs || given === null) return undefined;
  const { readingCost = 1, trust } = options.verifier.capabilities;
  // Only the runtime of a served model names its judge, and audits it. One that came with its trust need not wait for that.
  const isNew = options.judge !== undefined && given === undefined && !trust ? true : undefined;
  return { cost: service.readingCost ?? readingCost, trust: given ?? trust ?? worthConstants.usualTrust, isNew };
}
