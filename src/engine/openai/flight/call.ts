// What one HTTP request asks for, from the siblings that share it.

import { hash } from '../../../base/random.ts';
import type { Call, Dialect } from '../dialect/dialect.ts';
import type { Child } from './queue.ts';

/** `roomTokens` is what the context has left; `tokenIds` the path, for servers that take tokens. */
export function callFor(
  children: readonly Child[],
  dialect: Dialect,
  tokenIds: readonly number[] | undefined,
  roomTokens: number,
  name: string,
): Call {
  const { request, rejected } = children[0]!;
  return {
    name,
    prompt: request.prompt,
    tokenIds,
    pathText: tokenIds === undefined ? request.path.map(({ step }) => step.text).join('') : '',
    siblings: children.length,
    sampling: request.sampling,
    // A blank step is drawn again, with a seed that follows from the first.
    seed: rejected === 0 ? request.seed : hash(request.seed, rejected),
    stops: request.delimiters.length <= dialect.stopLimit ? request.delimiters : [],
    maxTokens: Math.min(request.maxTokens, roomTokens),
    lane: request.lane,
    priority: request.priority,
  };
}
