// Turns of an agent, drawn from the chat endpoint that all these servers have under one name: its template and its parser of calls, the
// conversation and the tools as the client wrote them. A turn comes whole, and siblings are one request with `n`.

import { isRecord } from '../../../base/record.ts';
import { count, protocolFault, readEvent, records, streamFault, text } from '../../../remote/wire-values.ts';
import { agentTurn, turnText, writtenIn } from '../../../tree/readings/agent-turn.ts';
import { writtenCalls } from '../../../tree/readings/written-calls.ts';
import { decodeChunk } from './completion-chunk.ts';
import { type Call, type Dialect, extrasFor, neutralSampling, type ServerFacts, wirePriority } from './dialect.ts';

const path = '/v1/chat/completions';

/** A server's dialect for requests whose draws are turns. */
export function turnDialect(dialect: Dialect): Dialect {
  const { abort: _, ...known } = dialect;
  return {
    ...known,
    takesTokens: false,
    givesWhole: true,
    sumsUsage: true,
    encode: (call, facts) => ({ path, body: bodyOf(call, facts, dialect) }),
    decode: (event) => {
      const { choices = [] } = readEvent(event, 'a chat completion');
      if (records(choices).some((choice) => !isRecord(choice.message)))
        protocolFault('a choice without message', event);
      return decodeChunk(event, updateOf);
    },
  };
}

function bodyOf(call: Call, facts: ServerFacts, dialect: Dialect): Record<string, unknown> {
  const { prompt, said = [], siblings, maxTokens } = call;
  const { temperature, topP, topK, minP } = neutralSampling(call.sampling);
  const own = { top_k: topK === 0 && dialect.name === 'sglang' ? -1 : topK, min_p: minP };
  return {
    ...agentTurn(prompt),
    model: facts.model,
    messages: [...writtenIn(prompt), ...said],
    chat_template_kwargs: prompt.kind === 'chat' ? prompt.template : undefined,
    // A server that is told no limit gives what its context leaves, and refuses one that does not fit.
    max_tokens: mayFit(call, facts) ? maxTokens : undefined,
    n: siblings > 1 ? siblings : undefined,
    temperature,
    top_p: topP,
    ...(dialect.name === 'openai' ? {} : own),
    ...extrasFor(dialect, call.sampling),
    seed: call.seed,
    stream: false,
    priority: dialect.name === 'openai' ? undefined : wirePriority(call, facts.priorityOrder),
  };
}

/** Characters of a prompt for each of its tokens, at least: of conversations with images the server alone knows. */
const charsPerToken = 2;

function mayFit({ prompt, maxTokens }: Call, { contextTokens = Number.POSITIVE_INFINITY }: ServerFacts): boolean {
  return JSON.stringify(prompt).length / charsPerToken + maxTokens <= contextTokens;
}

function updateOf(choice: Record<string, unknown>) {
  const { content, reasoning, reasoning_content, tool_calls } = choice.message as Record<string, unknown>;
  const parsed = records(tool_calls).map(({ function: called }) => {
    const { name, arguments: given } = isRecord(called) ? called : {};
    return { name: text(name), arguments: typeof given === 'string' ? given : JSON.stringify(given ?? {}) };
  });
  const found = parsed.length > 0 ? [] : writtenCalls(text(content));
  const calls = [...parsed, ...found];
  const said = found.length > 0 ? '' : text(content);
  const turn = { content: said, reasoning: text(reasoning) || text(reasoning_content), calls };
  return { index: count(choice.index) ?? 0, text: turnText(turn), end: endOf(choice.finish_reason) };
}

function endOf(finish: unknown): 'eos' | 'length' {
  if (finish === 'content_filter') return streamFault('its content filter cut the turn', 400);
  return finish === 'length' ? 'length' : 'eos';
}
