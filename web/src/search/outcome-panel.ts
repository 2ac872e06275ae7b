// How a search stands: growing, with the best answer so far, or ended, with its verdict, its answer and why. What was not
// accepted is never set like an answer.

import type { SearchJson, WholeSearchJson } from '../../../src/gateway/wire/search-json.ts';
import { describeExit } from '../../../src/log/describe.ts';
import type { Exit } from '../../../src/log/end.ts';
import type { SearchFold } from '../../../src/log/fold.ts';
import { type Content, fill, h } from '../dom/dom.ts';
import { exitLook } from '../look/exits.ts';
import { verdictLook } from '../look/verdicts.ts';
import { formatEvidence } from '../look/words.ts';

export class OutcomePanel {
  readonly element = h('div', { class: 'outcome', role: 'status' });
  #shown = '';

  show(moment: SearchFold, search: WholeSearchJson): void {
    const { exit, tree } = moment;
    const { state, verdict } = search;
    const key = [exit?.kind, tree?.best?.id, state, verdict, tree?.nextStrand === 0].join(' ');
    if (key === this.#shown) return;
    this.#shown = key;
    fill(this.element, ...(exit === undefined ? growing(moment, state) : ended(moment, exit, search)));
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

function ended({ answer }: SearchFold, exit: Exit, search: WholeSearchJson): Content[] {
  const { sign, about, kind } = exitLook(exit.kind);
  const evidence = Object.entries(exit.evidence).map(([name, value]) => `${name} ${formatEvidence(value)}`);
  const because = `rule ${exit.rule}${evidence.length === 0 ? '' : ': '}${evidence.join(' · ')}`;
  const verdict = verdictLook(search.verdict);
  return [
    h('p', { class: `chip exit-${kind}`, title: about }, h('span', { 'aria-hidden': 'true' }, `${sign} `), kind),
    h(
      'p',
      { class: `verdict verdict-${search.verdict ?? 'open'}` },
      `${verdict.sign} ${sentence(search, verdict.words)}`,
    ),
    answerLine(answer?.answer ?? answer?.text.trim(), 'no answer', verdict.answers),
    h('p', { class: 'why' }, describeExit(exit)),
    h('p', { class: 'why' }, because),
  ];
}

/** The server's own sentence, with its numbers, where there is one. */
function sentence({ result }: WholeSearchJson, words: string): string {
  return result?.coppice.verdict_text ?? words;
}

function answerLine(text: string | undefined, otherwise: string, answers = false): HTMLElement {
  const none = text === undefined || text === '';
  const look = answers ? 'answer' : 'answer attempt';
  return h('p', { class: none ? 'answer none' : look }, none ? otherwise : text);
}
