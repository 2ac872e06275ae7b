// Finds calls in the text of a turn, for models whose calls a server's parser misses: JSON between tags or in fences, or a text that is
// nothing else. Many clients read such turns as calls too.

import { isRecord } from '@coppice/core/base';
import type { MadeTurn } from './tool-domain.ts';

const fenced = /```(?:json|xml|tool_call)?\s*\n([\s\S]*?)(?:```|$)|<(tools|tool_call)>([\s\S]*?)(?:<\/\2>|$)/g;
const tags = /<\/?(?:tools|tool_call)>/g;

/** Returns the turn unchanged if it has calls already, or no text that could be some. */
export function withWrittenCalls(turn: MadeTurn): MadeTurn {
  const content = turn.content ?? '';
  if (turn.calls.length > 0 || !content.includes('"name"')) return turn;
  const blocks = [...content.matchAll(fenced)].map(([, inFence, , inTags]) => (inFence ?? inTags!).replace(tags, ' '));
  const texts = blocks.length > 0 ? blocks : /^\s*[[{]/.test(content) ? [content] : [];
  const calls = texts.flatMap(valuesIn).flat().flatMap(callIn);
  return calls.length > 0 ? { calls } : turn;
}

function callIn(value: unknown): MadeTurn['calls'] {
  if (!isRecord(value) || typeof value.name !== 'string') return [];
  const given = value.arguments ?? value.parameters;
  return isRecord(given) ? [{ name: value.name, arguments: JSON.stringify(given) }] : [];
}

/** Every object and list of a text, one behind the other; what is none is passed over. */
function valuesIn(text: string): unknown[] {
  const found: unknown[] = [];
  let [depth, from, isText] = [0, 0, false];
  for (let at = 0; at < text.length; at += 1) {
    const letter = text[at]!;
    if (isText) {
      if (letter === '\\') at += 1;
      else if (letter === '"') isText = false;
    } else if (letter === '"') isText = depth > 0;
    else if (letter === '{' || letter === '[') {
      if (depth === 0) from = at;
      depth += 1;
    } else if ((letter === '}' || letter === ']') && depth > 0) {
      depth -= 1;
      if (depth === 0) found.push(...parsed(text.slice(from, at + 1)));
    }
  }
  return found;
}

function parsed(text: string): unknown[] {
  try {
    return [JSON.parse(text)];
  } catch {
    return [];
  }
}
