// The content of one HTTP request: no more than the asker reads and the server gives.

import { hash } from '../../../base/random.ts';
import type { Message } from '../../../tree/step.ts';
import { allNeeds, type GenerateRequest, plainTurn } from '../../engine.ts';
import type { Call, Dialect, ServerFacts } from '../dialect/dialect.ts';
import type { Child } from './queue.ts';
import type { Refusable } from './refusable.ts';

/** A longer answer in one piece looks like a server that hangs. */
const longestWholeTokens = 1024;

interface CallPlace {
  readonly dialect: Dialect;
  readonly facts: ServerFacts;
  readonly refused: ReadonlySet<Refusable>;
  readonly tokenIds: readonly number[] | undefined;
  readonly roomTokens: number;
  readonly name: string;
}

export function callFor(children: readonly Child[], options: CallPlace): Call {
  const { dialect, facts, refused, tokenIds, roomTokens, name } = options;
  const { request, rejected, urgency } = children[0]!;
  const needs = request.needs ?? allNeeds;
  const whole = request.thinking !== undefined && refused.has('steps');
  const stops = request.delimiters.length <= dialect.stopLimit && !whole ? request.delimiters : [];
  const cuts = stops.length < request.delimiters.length;
  const maxTokens = Math.min(whole ? request.thinking!.wholeTokens : request.maxTokens, roomTokens);
  // Only a stream tells which sibling has ended, and it costs the server's front end several times as much. Where the last one is waited for
  // anyway, the others lose the head start of their scores, which then share a call with the last one's.
  const inOnePiece = (children.length === 1 || needs.together === true) && maxTokens <= longestWholeTokens;
  return {
    name,
    prompt: request.prompt,
    tokenIds,
    ...(tokenIds === undefined ? conversation(request) : { pathText: '' }),
    siblings: children.length,
    sampling: request.sampling,
    // A blank step is drawn again with another seed.
    seed: needs.seed ? (rejected === 0 ? request.seed : hash(request.seed, rejected)) : undefined,
    ids: needs.ids !== false,
    logprobs: needs.logprobs && facts.logprobs && !refused.has('logprobs'),
    entropy: needs.entropy === true && dialect.tellsEntropy === true && facts.logprobs && !refused.has('logprobs'),
    confidence:
      needs.confidence === true && dialect.tellsConfidence === true && facts.logprobs && !refused.has('logprobs'),
    pieces: needs.pieces === true && dialect.tellsPieces === true,
    delivery: needs.tokens || cuts || !dialect.givesWhole ? 'tokens' : inOnePiece ? 'whole' : 'ends',
    stops,
    shape: request.shape,
    maxTokens,
    whole,
    exact: request.exact === true,
    lane: urgency.lane,
    priority: urgency.priority,
  };
}

/** A path as text; behind a chat as messages, each turn closing the one before. */
export function conversation({
  prompt,
  path,
}: Pick<GenerateRequest, 'prompt' | 'path'>): Pick<Call, 'pathText' | 'said'> {
  const said: Message[] = [];
  let pathText = '';
  for (const { step } of path) {
    if (step.turn !== undefined && prompt.kind === 'chat') {
      said.push({ role: 'assistant', content: pathText }, { role: 'user', content: step.turn });
      pathText = '';
    } else if (step.turn !== undefined) pathText += plainTurn(step.turn);
    pathText += step.text;
  }
  return said.length === 0 ? { pathText } : { pathText, said };
}
