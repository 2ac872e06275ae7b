// Reads calls that a model wrote as its whole text, as Qwen2.5-Coder-1.5B does: JSON alone, in a fence, or between tags that the server's
// parser missed. Text with other words holds no call: it may quote one.

import { isRecord, jsonOrText } from '../../base/record.ts';

interface WrittenCall {
  readonly name: string;
  /** JSON. */
  readonly arguments: string;
}

/** At the ends of lines alone: strings of JSON hold no line break, so that none of their text is touched. */
const wrapping = /^[ \t]*(?:```(?:json)?|<\/?(?:tools|tool_call)>)|(?:```|<\/?(?:tools|tool_call)>)[ \t]*$/gm;

export function writtenCalls(content: string): readonly WrittenCall[] {
  const bare = content.replace(wrapping, ' ').trim();
  if (!/^[[{]/.test(bare)) return [];
  const value = jsonOrText(bare);
  // Several objects in a row are no JSON.
  const values =
    typeof value === 'string' ? jsonOrText(`[${bare.replace(/\}[ \t]*\n\s*\{/g, '},{')}]`) : [value].flat();
  const calls = Array.isArray(values) ? values.map(callOf) : [];
  return calls.includes(undefined) ? [] : (calls as WrittenCall[]);
}

function callOf(value: unknown): WrittenCall | undefined {
  if (!isRecord(value) || typeof value.name !== 'string') return undefined;
  const given = value.arguments ?? value.parameters;
  return isRecord(given) ? { name: value.name, arguments: JSON.stringify(given) } : undefined;
}
