// JSON that a server wrote. Long texts are counted through first: parsing megabytes of nested lists would block the process.

import { raise } from '../base/fault.ts';

const shortCharacters = 65_536;
/** No server nests more than ten. */
const mostDepth = 128;
/** 10,000 tokens with 20 candidates each. */
const mostParts = 250_000;

export function parseJson(text: string, what: string): unknown {
  const excess = text.length > shortCharacters ? excessIn(text, mostDepth, mostParts) : undefined;
  if (excess === 'depth') raise('protocol', `${what} is nested more than ${mostDepth} deep`);
  if (excess === 'parts') raise('protocol', `${what} has more than ${mostParts} lists and fields`);
  try {
    return JSON.parse(text);
  } catch {
    return raise('protocol', `${what} is not JSON: ${text.slice(0, 120)}`);
  }
}

export function excessIn(text: string, depthLimit: number, partLimit: number): 'depth' | 'parts' | undefined {
  let [depth, parts] = [0, 0];
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 0x22) at = stringEnd(text, at);
    else if (code === 0x5b || code === 0x7b) {
      depth += 1;
      parts += 1;
    } else if (code === 0x5d || code === 0x7d) depth -= 1;
    else if (code === 0x3a) parts += 1;
    if (depth > depthLimit) return 'depth';
    if (parts > partLimit) return 'parts';
  }
  return undefined;
}

function stringEnd(text: string, begin: number): number {
  let at = begin + 1;
  while (at < text.length && text.charCodeAt(at) !== 0x22) at += text.charCodeAt(at) === 0x5c ? 2 : 1;
  return at;
}
