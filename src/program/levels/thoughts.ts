// What one generation names: several next steps in one text, as a list. Numbers and bullets begin an item, which may have
// several lines; a text without any has one on each line. Of a list that was cut in the middle the last item is left out.

import { extractAnswer } from '../../answer/extract.ts';
import type { ProbeReply } from '../../tree/events.ts';
import type { Step } from '../../tree/step.ts';

const item = /^[ \t]*(?:\d+[.)]|[-*•])[ \t]+/;

/** The tokens are the probe's, and counted there; an item that states an answer ends its path. */
export function thoughtsIn({ text, whole }: ProbeReply): Step[] {
  const named = itemsOf(text).map((each) => each.replace(item, '').trim());
  const complete = whole || named.length < 2 ? named : named.slice(0, -1);
  return [...new Set(complete)].filter((each) => each !== '').map(stepOf);
}

function itemsOf(text: string): string[] {
  const lines = text.split('\n');
  if (!lines.some((line) => item.test(line))) return lines;
  const items: string[] = [];
  for (const line of lines) {
    if (items.length === 0 || item.test(line)) items.push(line);
    else items.push(`${items.pop()}\n${line}`);
  }
  return items;
}

function stepOf(thought: string): Step {
  const ends = extractAnswer(thought) !== undefined;
  return { text: ends ? thought : `${thought}\n`, tokens: 0, meanLogprob: 0, end: ends ? 'eos' : 'delimiter' };
}
