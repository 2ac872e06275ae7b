// Reads calls that a model wrote as its whole text: JSON alone, in a fence, or between tags that the server's parser missed. Small models do
// so more often than not. Text with other words holds no call: it may quote one.

import { isRecord, jsonOrText } from '../../base/record.ts';

interface WrittenCall {
  readonly name: string;
  /** JSON. */
  readonly arguments: string;
}

const wrapping = /```(?:json)?|<\/?(?:tools|tool_call)>/g;

export function writtenCalls(content: string): readonly WrittenCall[] {
  const bare = content.replace(wrapping, ' ').trim();
  if (!/^[[{]/.test(bare)) return [];
  const value = jsonOrText(bare);
  // Several objects in a row are no JSON.
  const values = typeof value === 'string' ? jsonOrText(`[${bare.replace(/\}\s+\{/g, '},{')}]`) : [value].flat();
  const calls = Array.isArray(values) ? values.map(callOf) : [];
  return calls.includes(undefined) ? [] : (calls as WrittenCall[]);
}

function callOf(value: unknown): WrittenCall | undefined {
  if (!isRecord(value) || typeof value.name !== 'string') return undefined;
  const given = value.arguments ?? value.parameters;
  return isRecord(given) ? { name: value.name, arguments: JSON.stringify(given) } : undefined;
}
