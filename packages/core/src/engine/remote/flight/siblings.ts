// Which requests may share an HTTP request: siblings of one expansion that want the same, above temperature zero. A server gives sibling i
// the seed of the first plus i, so where seeds count only consecutive seeds go together.

import { allNeeds, type GenerateRequest } from '../../engine.ts';
import type { Child } from './queue.ts';

/** Siblings of one expansion stand side by side. */
export function groupSiblings(requests: readonly GenerateRequest[], limit: number): GenerateRequest[][] {
  return grouped(requests, (request, group) => group.length < limit && isNext(request, group.at(-1)!));
}

/** A gap would shift the seeds behind it. */
export function runsOf(children: readonly Child[]): Child[][] {
  return grouped(children, ({ request }, run) => follows(request, run.at(-1)!.request));
}

function grouped<Item>(items: readonly Item[], joins: (item: Item, group: readonly Item[]) => boolean): Item[][] {
  const groups: Item[][] = [];
  for (const item of items) {
    const group = groups.at(-1);
    if (group !== undefined && joins(item, group)) group.push(item);
    else groups.push([item]);
  }
  return groups;
}

function follows(request: GenerateRequest, before: GenerateRequest): boolean {
  return !(request.needs ?? allNeeds).seed || request.seed === before.seed + 1;
}

function isNext(request: GenerateRequest, before: GenerateRequest): boolean {
  const same = shared.every((name) => request[name] === before[name]) && request.sampling.temperature > 0;
  return same && follows(request, before) && described.every((name) => isAlike(request[name], before[name]));
}

const shared = ['search', 'parent', 'expansion', 'maxTokens', 'lane', 'priority'] as const;
const described = ['sampling', 'delimiters', 'needs', 'shape'] as const;

/** Siblings of one expansion mostly hold the same objects. */
function isAlike(one: unknown, other: unknown): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}
