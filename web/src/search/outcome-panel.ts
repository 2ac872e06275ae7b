// How a search stands: growing, with the best answer so far, or ended, with its answer and why.

import type { SearchJson } from '../../../src/gateway/wire/search-json.ts';
import type { Exit } from '../../../src/log/end.ts';
import type { SearchFold } from '../../../src/log/fold.ts';
import { type Content, fill, h } from '../dom/dom.ts';
import { exitLook } from '../look/exits.ts';
import { formatEvidence } from '../look/words.ts';

export class OutcomePanel {
  readonly element = h('div', { class: 'outcome', role: 'status' });
  #shown = '';

  show(moment: SearchFold, state: SearchJson['state']): void {
    const { exit, tree } = moment;
    const key = [exit?.kind, tree?.best?.id, state, tree?.nextStrand === 0].join(' ');
    if (key === this.#shown) return;
    this.#shown = key;
    fill(this.element, ...(exit === undefined ? growing(moment, state) : ended(moment, exit)));
  }
}

function growing({ tree }: SearchFold, state: SearchJson['state']): Content[] {
  const waits = state === 'queued' && (tree === undefined || tree.nextStrand === 0);
  const best = tree?.best;
  return [
    h('p', { class: 'chip live' }, waits ? 'waiting for its turn' : 'growing'),
    answerLine(best?.answer, 'no answer yet'),
  ];
}

function ended({ answer }: SearchFold, exit: Exit): Content[] {
  const { sign, about, kind } = exitLook(exit.kind);
  const evidence = Object.entries(exit.evidence).map(([name, value]) => `${name} ${formatEvidence(value)}`);
  const because = `rule ${exit.rule}${evidence.length === 0 ? '' : ': '}${evidence.join(' · ')}`;
  const unfinished = answer?.complete === false ? 'No path was finished: this is the best beginning.' : undefined;
  return [
    h('p', { class: `chip exit-${kind}`, title: about }, h('span', { 'aria-hidden': 'true' }, `${sign} `), kind),
    answerLine(answer?.answer ?? answer?.text.trim(), 'no answer'),
    h('p', { class: 'why' }, about),
    h('p', { class: 'why' }, because),
    unfinished && h('p', { class: 'why' }, unfinished),
  ];
}

function answerLine(text: string | undefined, otherwise: string): HTMLElement {
  const none = text === undefined || text === '';
  return h('p', { class: none ? 'answer none' : 'answer' }, none ? otherwise : text);
}
