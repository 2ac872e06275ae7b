// Which requests of one call may share an HTTP request: same search, same parent and the same wishes, at a temperature
// above zero, as many as the server runs at a time. Their seeds then follow from the first one's, and cancelling one frees
// nothing until all are cancelled, which is why this is done only where it saves computing the prefix once per child.

import type { GenerateRequest } from '../../engine.ts';

export function groupSiblings(requests: readonly GenerateRequest[], limit: number): GenerateRequest[][] {
  if (limit < 2 || requests.length < 2) return requests.map((request) => [request]);
  const groups: GenerateRequest[][] = [];
  const open = new Map<string, GenerateRequest[]>();
  for (const request of requests) {
    const key = request.sampling.temperature > 0 ? keyOf(request) : undefined;
    const group = key === undefined ? undefined : open.get(key);
    if (group !== undefined && group.length < limit) {
      group.push(request);
      continue;
    }
    const fresh = [request];
    groups.push(fresh);
    if (key !== undefined) open.set(key, fresh);
  }
  return groups;
}

function keyOf(request: GenerateRequest): string {
  const { search, parent, sampling, delimiters, maxTokens, lane, priority } = request;
  return JSON.stringify([search, parent, sampling, delimiters, maxTokens, lane, priority]);
}
