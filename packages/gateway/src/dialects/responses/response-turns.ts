// Translates tools, calls and results of the Responses API into those of a chat, and back. A function of a namespace has both names in a
// chat, and a custom tool is a function of one text. Only an item's type has been checked.

import type { Plain } from '@coppice/core/journal';
import type { TurnCall } from '../../wire/result-json.ts';
import type { ChatBody } from '../chat-body.ts';
import { argumentsOf } from '../turn-body.ts';
import { hasItems, record } from '../unchecked.ts';

type ChatMessage = ChatBody['messages'][number];

/** Undefined without tools. OpenAI's hosted tools stay as they are: they are no functions. */
export function chatTools({ tools, tool_choice: choice, parallel_tool_calls: parallel }: Plain): Plain | undefined {
  if (!hasItems(tools)) return undefined;
  const isNamed = ['function', 'custom'].includes(record(choice).type as string);
  return {
    tools: toolsIn(tools).map(functionOf),
    tool_choice: isNamed ? { type: 'function', function: { name: chatName(record(choice)) } } : choice,
    ...(typeof parallel === 'boolean' && { parallel_tool_calls: parallel }),
  };
}

/** Those of a namespace among the others. */
function toolsIn(tools: unknown): Plain[] {
  const all: readonly unknown[] = Array.isArray(tools) ? tools : [];
  return all.map(record).flatMap((tool): Plain[] => {
    const { type, name: namespace, tools: own } = tool;
    if (type !== 'namespace' || !Array.isArray(own)) return [tool];
    return own.map((each) => ({ ...record(each), namespace }));
  });
}

function chatName({ namespace, name }: Plain): unknown {
  return typeof namespace === 'string' && typeof name === 'string' ? `${namespace}__${name}` : name;
}

const oneText = { type: 'object', properties: { input: { type: 'string' } }, required: ['input'] };

function functionOf(tool: Plain): unknown {
  const { type, description, parameters, strict, format } = tool;
  const name = chatName(tool);
  if (type === 'function') return { type, function: { name, description, parameters, strict } };
  const about = [description, record(format).definition].filter((each) => typeof each === 'string').join('\n');
  const isCustom = type === 'custom';
  return isCustom ? { type: 'function', function: { name, description: about, parameters: oneText } } : tool;
}

/** By their names in a chat; of two with one name, the first. */
export function namedTools(tools: unknown): ReadonlyMap<unknown, Plain> {
  return new Map(
    toolsIn(tools)
      .map((tool) => [chatName(tool), tool] as const)
      .toReversed(),
  );
}

/** A call under the name and of the kind that its client gave the tool. */
export function calledAs(tools: ReadonlyMap<unknown, Plain>, { name: called, arguments: given }: TurnCall) {
  const { type, name = called, namespace } = tools.get(called) ?? {};
  const own = { name, ...(typeof namespace === 'string' && { namespace }) };
  if (type !== 'custom') return { type: 'function_call', own, field: 'arguments', text: given } as const;
  const { input } = argumentsOf(given);
  return { type: 'custom_tool_call', own, field: 'input', text: typeof input === 'string' ? input : given } as const;
}

/** A call, a result or a message with an image; undefined for any other item. */
export function turnMessage(item: Plain): ChatMessage | undefined {
  const { type, role, content, output = '' } = item;
  if (type === 'function_call' || type === 'custom_tool_call') {
    const { call_id: id, input, arguments: given = JSON.stringify({ input }) } = item;
    const called = { name: chatName(item), arguments: given };
    return { role: 'assistant', content: null, tool_calls: [{ id, type: 'function', function: called }] };
  }
  if (type === 'function_call_output' || type === 'custom_tool_call_output')
    return { role: 'tool', tool_call_id: item.call_id, content: partsOf(output) } as ChatMessage;
  const hasImage = Array.isArray(content) && content.some((part) => record(part).type === 'input_image');
  return hasImage ? ({ role, content: partsOf(content) } as ChatMessage) : undefined;
}

function partsOf(content: unknown): unknown {
  if (!Array.isArray(content)) return content;
  return content.map((part: unknown) => {
    const { type, text, refusal, image_url: url, detail } = record(part);
    if (type === 'input_image') return { type: 'image_url', image_url: { url, ...(detail ? { detail } : {}) } };
    return { type: 'text', text: text ?? refusal };
  });
}

/** Joins the calls of one turn, separate items in this API, into one message of a chat. */
export function joinTurns(messages: readonly ChatMessage[]): ChatMessage[] {
  const turns: [ChatMessage, ...ChatMessage[]][] = [];
  for (const message of messages) {
    const turn = turns.at(-1);
    const isMore = turn?.[0].role === 'assistant' && message.role === 'assistant' && hasItems(message.tool_calls);
    if (isMore) turn.push(message);
    else turns.push([message]);
  }
  return turns.map((turn) => {
    const [first] = turn;
    return turn.length === 1 ? first : { ...first, tool_calls: turn.flatMap(({ tool_calls }) => tool_calls ?? []) };
  });
}
