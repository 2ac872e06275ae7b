// Makes the tip at the pointer: numbers of the sprout there, and the best path through it.

import { type Node, pathTo } from '@coppice/core/tree';
import { h } from '../dom/dom.ts';
import { formatScore } from '../look/words.ts';
import { shownScoreOf } from '../tree/mark.ts';
import type { Sprout } from '../tree/sprout.ts';

const longest = 160;
const longestLine = 64;
const mostLines = 12;

/** `end`: end of the best path through the node. */
export function tipOf(sprout: Sprout, end: Node | undefined): HTMLElement[] {
  if (sprout.kind === 'flight') return tip('in flight', 'being generated or scored');
  if (sprout.kind === 'ghost') {
    const { step, reward } = sprout.ghost;
    return tip(`speculative · reward ${formatScore(reward)}`, excerpt(step.text, longest));
  }
  const { node } = sprout;
  const heading = node.step === undefined ? 'root' : scoreOf(node);
  const text = node.step === undefined ? 'the question' : excerpt(node.step.text, longest);
  return end === undefined || end === node ? tip(heading, text) : [...tip(heading, text), bestPath(end, node)];
}

function scoreOf(node: Node): string {
  const writer = node.step?.model === undefined ? '' : ` · ${node.step.model}`;
  return `score ${formatScore(shownScoreOf(node))} · visits ${node.visits}${writer}`;
}

function bestPath(end: Node, node: Node): HTMLElement {
  const steps = pathTo(end);
  const lines = steps.slice(0, mostLines).map((each) => {
    const line = excerpt(each.step?.text ?? '', longestLine);
    return each === node ? h('li', { class: 'here' }, line) : h('li', {}, line);
  });
  const more = steps.length - lines.length;
  const words = `best path through it${end.terminal ? '' : ' so far'}: score ${formatScore(shownScoreOf(end))}`;
  return h('div', {}, h('b', {}, words), h('ol', {}, ...lines, more > 0 ? h('li', {}, `and ${more} more`) : undefined));
}

function tip(heading: string, text: string): HTMLElement[] {
  return [h('b', {}, heading), h('span', {}, text)];
}

function excerpt(text: string, most: number): string {
  const line = text.trim().replace(/\s+/g, ' ');
  if (line === '') return 'no text kept';
  return line.length > most ? `${line.slice(0, most - 1)}…` : line;
}
