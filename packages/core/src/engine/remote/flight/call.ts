// The content of one HTTP request: no more than the asker reads and the server gives.

import { hash } from '../../../base/random.ts';
import { agentTurn } from '../../../tree/readings/agent-turn.ts';
import type { Message } from '../../../tree/step.ts';
import { allNeeds, type GenerateRequest, plainTurn } from '../../engine.ts';
import type { Call, Dialect, ServerFacts } from '../dialect/dialect.ts';
import type { Child } from './queue.ts';
import type { Refusable } from './refusable.ts';

/** A longer step in one piece looks like a server that hangs; a whole draw has time for each so many tokens (watch.ts). */
export const longestWholeTokens = 1024;

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
  const isWhole = request.whole === true || agentTurn(request.prompt) !== undefined;
  const whole = isWhole || (request.thinking !== undefined && refused.has('steps'));
  const stops = request.delimiters.length <= dialect.stopLimit && !whole ? request.delimiters : [];
  const cuts = !isWhole && stops.length < request.delimiters.length;
  const longest = whole && !isWhole ? request.thinking!.wholeTokens : request.maxTokens;
  const unread = request.whole && tokenIds === undefined ? Math.ceil(lengthOf(request) / leastCharsPerToken) : 0;
  const maxTokens = Math.min(longest, Math.max(1, roomTokens - unread));
  // A stream costs the server's front end several times as much, and a search waits for the last sibling anyway.
  const inOnePiece = isWhole || maxTokens <= longestWholeTokens;
  return {
    name,
    prompt: request.prompt,
    tokenIds,
    ...(tokenIds === undefined ? conversation(request) : { pathText: '' }),
    siblings: children.length,
    sampling: request.sampling,
    // A blank step is drawn again with another seed.
    seed: needs.seed ? (rejected === 0 ? request.seed : hash(request.seed, rejected)) : undefined,
    ids: needs.ids !== false && !isWhole,
    logprobs: needs.logprobs && facts.logprobs && !refused.has('logprobs'),
    entropy: needs.entropy === true && dialect.tellsEntropy === true && facts.logprobs && !refused.has('logprobs'),
    pieces: needs.pieces === true && dialect.tellsPieces === true,
    delivery: needs.tokens || cuts || !dialect.givesWhole ? 'tokens' : inOnePiece ? 'whole' : 'ends',
    stops,
    shape: request.shape,
    maxTokens,
    whole,
    exact: request.exact === true,
    lane: urgency.lane,
    priority: urgency.priority,
    salt: request.session?.salt,
  };
}

/** Words of most languages; servers refuse what their context cannot hold. */
const leastCharsPerToken = 2;

/** Characters of prompt and path, for servers that count their tokens themselves. */
function lengthOf({ prompt, path }: GenerateRequest): number {
  const asked = prompt.kind === 'text' ? prompt.text.length : JSON.stringify(prompt.messages).length;
  return path.reduce((sum, { step }) => sum + step.text.length, asked);
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
      if (pathText !== '') said.push({ role: 'assistant', content: pathText });
      said.push({ role: 'user', content: step.turn });
      pathText = '';
    } else if (step.turn !== undefined) pathText += plainTurn(step.turn);
    pathText += step.text;
  }
  return said.length === 0 ? { pathText } : { pathText, said };
}
