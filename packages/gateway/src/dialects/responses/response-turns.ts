// Translates tools, calls and results of the Responses API into those of a chat. Only an item's type has been checked.

import type { Plain } from '@coppice/core/journal';
import type { ChatBody } from '../chat-body.ts';
import { hasItems, record } from '../unchecked.ts';

type ChatMessage = ChatBody['messages'][number];

/** Undefined without tools. OpenAI's hosted tools stay as they are: they are no functions. */
export function chatTools({ tools, tool_choice: choice, parallel_tool_calls: parallel }: Plain): Plain | undefined {
  if (!hasItems(tools)) return undefined;
  const { type, name } = record(choice);
  return {
    tools: (tools as readonly unknown[]).map(functionOf),
    tool_choice: type === 'function' ? { type, function: { name } } : choice,
    ...(typeof parallel === 'boolean' && { parallel_tool_calls: parallel }),
  };
}

function functionOf(tool: unknown): unknown {
  const { type, name, description, parameters, strict } = record(tool);
  return type === 'function' ? { type, function: { name, description, parameters, strict } } : tool;
}

/** A call, a result or a message with an image; undefined for any other item. */
export function turnMessage(item: Plain): ChatMessage | undefined {
  const { type, role, content, output = '' } = item;
  if (type === 'function_call') {
    const { call_id: id, name, arguments: given } = item;
    return {
      role: 'assistant',
      content: null,
      tool_calls: [{ id, type: 'function', function: { name, arguments: given } }],
    };
  }
  if (type === 'function_call_output')
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
  const joined: ChatMessage[] = [];
  for (const message of messages) {
    const last = joined.at(-1);
    const isMore = last?.role === 'assistant' && message.role === 'assistant' && hasItems(message.tool_calls);
    if (isMore) joined.pop();
    const calls = [isMore ? last.tool_calls : [], message.tool_calls].flat().filter((each) => each !== undefined);
    joined.push(isMore ? { ...last, tool_calls: calls } : message);
  }
  return joined;
}
