// Reads calls that a model wrote into its text, as Qwen2.5-Coder does: JSON that begins a line, bare, in a fence, or between tags that the
// server's parser missed. JSON within a sentence is quoted, and calls nothing.

import type { AgentTurn } from '../../answer/turns.ts';
import { isRecord, jsonOrText } from '../../base/record.ts';

type WrittenCall = AgentTurn['calls'][number];

/** First in its line, or behind another value or a tag. */
const opening = /(?<=(?:^|[}\]>](?:\s*,)?)\s*)[{[]/gm;
const deepest = 300;
const mark = /"(?:[^"\\]|\\.)*"?|[{}[\]]/gs;

export function writtenCalls(content: string): readonly WrittenCall[] {
  const calls: WrittenCall[] = [];
  opening.lastIndex = 0;
  for (let found = opening.exec(content); found !== null; found = opening.exec(content)) {
    const end = endOf(content, found.index);
    if (end === undefined) break;
    const value = jsonOrText(content.slice(found.index, end));
    const read = typeof value === 'string' ? [] : [value].flat().map(callOf);
    if (!read.includes(undefined)) calls.push(...(read as WrittenCall[]));
    opening.lastIndex = end;
  }
  return calls;
}

/** Where the value that begins there ends: no letter is read twice. Undefined for one so deep that it could not be written again. */
function endOf(content: string, from: number): number | undefined {
  let depth = 0;
  mark.lastIndex = from;
  for (let found = mark.exec(content); found !== null; found = mark.exec(content)) {
    if (/[{[]/.test(found[0][0]!)) depth += 1;
    else if (found[0][0] !== '"') depth -= 1;
    if (depth === 0 || depth > deepest) return depth === 0 ? mark.lastIndex : undefined;
  }
  return content.length;
}

function callOf(value: unknown): WrittenCall | undefined {
  if (!isRecord(value) || typeof value.name !== 'string') return undefined;
  const given = value.arguments ?? value.parameters;
  return isRecord(given) ? { name: value.name, arguments: JSON.stringify(given) } : undefined;
}
