// Steps that one generation names: several next steps in one text, as a list. Numbers and bullets begin an item, which may have
// several lines; a text without any has one on each line. Of a list that was cut in the middle the last item is left out.

import { extractAnswer } from '../../answer/extract.ts';
import type { ProbeReply } from '../events.ts';
import type { Node } from '../node.ts';
import type { Step } from '../step.ts';

const item = /^[ \t]*(?:\d+[.)]|[-*•])[ \t]+/;

/** Steps that the first probe with any named at the node, in its order: the children of an ask whose manner says `proposed`. */
export function namedSteps({ probes }: Node): readonly Step[] {
  for (const reply of probes?.values() ?? []) {
    const steps = reply === undefined ? [] : stepsIn(reply);
    if (steps.length > 0) return steps;
  }
  return [];
}

/** The tokens are the probe's, and counted there; an item that states an answer ends its path. */
export function stepsIn({ text, whole }: ProbeReply): Step[] {
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

function stepOf(named: string): Step {
  const ends = extractAnswer(named) !== undefined;
  return { text: ends ? named : `${named}\n`, tokens: 0, meanLogprob: 0, end: ends ? 'eos' : 'delimiter' };
}
