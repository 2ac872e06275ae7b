// What the pointer tells about the sprout under it.

import { h } from '../dom/dom.ts';
import { formatScore } from '../look/words.ts';
import type { Sprout } from '../tree/sprout.ts';

const longest = 160;

export function tipOf(sprout: Sprout): HTMLElement[] {
  if (sprout.kind === 'flight') return tip('in flight', 'being generated or scored');
  if (sprout.kind === 'ghost') {
    const { step, reward } = sprout.ghost;
    return tip(`speculative · reward ${formatScore(reward)}`, excerpt(step.text));
  }
  const { step, score, visits } = sprout.node;
  if (step === undefined) return tip('root', 'the question');
  return tip(`score ${formatScore(score)} · visits ${visits}`, excerpt(step.text));
}

function tip(heading: string, text: string): HTMLElement[] {
  return [h('b', {}, heading), h('span', {}, text)];
}

function excerpt(text: string): string {
  const line = text.trim().replace(/\s+/g, ' ');
  if (line === '') return 'no text kept';
  return line.length > longest ? `${line.slice(0, longest - 1)}…` : line;
}
