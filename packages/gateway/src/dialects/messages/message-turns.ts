// Translates tools, calls and results of Anthropic's API into those of a chat. Only a block's type has been checked.

import type { Plain } from '@coppice/core/journal';
import type { ChatBody } from '../chat-body.ts';
import { hasItems, record } from '../unchecked.ts';

const choices: Readonly<Record<string, string>> = { auto: 'auto', any: 'required', none: 'none' };

/** Undefined without tools. Anthropic's server tools stay as they are: they are no functions. */
export function chatTools({ tools, tool_choice }: Plain): Plain | undefined {
  if (!hasItems(tools)) return undefined;
  const { type, name, disable_parallel_tool_use: single } = record(tool_choice);
  const choice = type === 'tool' ? { type: 'function', function: { name } } : choices[String(type)];
  return {
    tools: (tools as readonly unknown[]).map(functionOf),
    ...(type !== undefined && { tool_choice: choice ?? tool_choice }),
    ...(typeof single === 'boolean' && { parallel_tool_calls: !single }),
  };
}

function functionOf(tool: unknown): unknown {
  const { type = 'custom', name, description, input_schema: parameters, strict } = record(tool);
  return type === 'custom' ? { type: 'function', function: { name, description, parameters, strict } } : tool;
}

interface TurnMessage {
  readonly role: string;
  readonly content: string | readonly Plain[];
}

/** Puts results before the text that came with them: in a chat, answers to calls come first. */
export function turnMessages({ role, content }: TurnMessage): ChatBody['messages'] {
  if (typeof content === 'string') return [{ role, content }] as ChatBody['messages'];
  const results = content.filter(({ type }) => type === 'tool_result').map(resultOf);
  const calls = content.filter(({ type }) => type === 'tool_use').map(callOf);
  const parts = content.flatMap(partOf);
  const said = parts.every(({ type }) => type === 'text') ? parts.map(({ text }) => text).join('') : parts;
  const message = { role, content: said || null, ...(calls.length > 0 && { tool_calls: calls }) };
  const isEmpty = said === '' && calls.length === 0 && results.length > 0;
  return [...results, ...(isEmpty ? [] : [message])] as ChatBody['messages'];
}

function callOf({ id, name, input }: Plain) {
  return { id, type: 'function', function: { name, arguments: JSON.stringify(input ?? {}) } };
}

function resultOf({ tool_use_id, content = '' }: Plain) {
  const parts = Array.isArray(content) ? content.flatMap((block) => partOf(record(block))) : content;
  return { role: 'tool', tool_call_id: tool_use_id, content: parts };
}

/** Thinking of former turns is dropped, as is usual. A tool that was found stands among those that are offered from then on. */
function partOf({ type, text, source, tool_name: found }: Plain): Plain[] {
  if (type === 'text') return [{ type: 'text', text }];
  if (type === 'tool_reference') return [{ type: 'text', text: `The tool ${found} is there now.` }];
  if (type !== 'image') return [];
  const { media_type, data, url = `data:${media_type};base64,${data}` } = record(source);
  return [{ type: 'image_url', image_url: { url } }];
}
