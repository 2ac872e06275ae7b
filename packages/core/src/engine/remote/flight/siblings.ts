// Which requests may share an HTTP request: siblings of one expansion that want the same, above temperature zero. A server gives sibling i
// the seed of the first plus i, so where seeds count only consecutive seeds go together.

import { allNeeds, type GenerateRequest } from '../../engine.ts';
import type { Child } from './queue.ts';

export function groupSiblings(requests: readonly GenerateRequest[], limit: number): GenerateRequest[][] {
  if (limit < 2 || requests.length < 2) return requests.map((request) => [request]);
  const groups: GenerateRequest[][] = [];
  const open = new Map<string, GenerateRequest[]>();
  for (const request of requests) {
    const key = request.sampling.temperature > 0 ? keyOf(request) : undefined;
    const group = key === undefined ? undefined : open.get(key);
    if (group !== undefined && group.length < limit && follows(request, group.at(-1)!)) {
      group.push(request);
      continue;
    }
    const fresh = [request];
    groups.push(fresh);
    if (key !== undefined) open.set(key, fresh);
  }
  return groups;
}

/** A gap would shift the seeds behind it. */
export function runsOf(children: readonly Child[]): Child[][] {
  const runs: Child[][] = [];
  for (const child of children) {
    const before = runs.at(-1)?.at(-1);
    if (before !== undefined && follows(child.request, before.request)) runs.at(-1)!.push(child);
    else runs.push([child]);
  }
  return runs;
}

function follows(request: GenerateRequest, before: GenerateRequest): boolean {
  return !(request.needs ?? allNeeds).seed || request.seed === before.seed + 1;
}

function keyOf(request: GenerateRequest): string {
  const { search, parent, expansion, sampling, delimiters, maxTokens, lane, priority, needs, shape } = request;
  return JSON.stringify([search, parent, expansion, sampling, delimiters, maxTokens, lane, priority, needs, shape]);
}
