// How a search stands: growing, with the best answer so far, or ended, with its verdict, its answer and why, each said once. What
// was not accepted is never set like an answer. Numbers stand behind a disclosure, which stays as the reader left it.

import type { SearchJson, WholeSearchJson } from '../../../../src/gateway/wire/search-json.ts';
import { describeExit } from '../../../../src/log/describe.ts';
import type { Exit } from '../../../../src/log/end.ts';
import type { SearchFold } from '../../../../src/log/fold.ts';
import { type Content, fill, h } from '../../dom/dom.ts';
import { term } from '../../dom/term.ts';
import { exitLook } from '../../look/exits.ts';
import { verdictLook } from '../../look/verdicts.ts';
import { formatEvidence } from '../../look/words.ts';
import { absentWords } from './absent-words.ts';
import { answerWords } from './other-answers.ts';

export class OutcomePanel {
  readonly #words = h('div', { role: 'status' });
  readonly #evidence = h('p', { class: 'why' });
  readonly #numbers = h('details', { class: 'numbers', hidden: true }, h('summary', {}, 'Numbers'), this.#evidence);
  readonly element = h('div', { class: 'outcome' }, this.#words, this.#numbers);
  #shown = '';

  show(moment: SearchFold, search: WholeSearchJson): void {
    const { exit, tree } = moment;
    const { state, verdict } = search;
    const absent = absentWords(moment);
    const waits = isWaiting(moment, state);
    const key = [exit?.kind, tree?.best?.id, state, verdict, waits, absent].join(' ');
    if (key === this.#shown) return;
    this.#shown = key;
    const words = exit === undefined ? growing(moment, waits) : ended(moment, exit, search);
    fill(this.#words, ...words, absent === '' ? undefined : h('p', { class: 'why' }, absent));
    this.#numbers.hidden = exit === undefined;
    this.#evidence.textContent = exit === undefined ? '' : evidenceOf(exit);
  }
}

/** What the server said when the page was opened holds until a strand is opened. */
function isWaiting({ tree }: SearchFold, state: SearchJson['state']): boolean {
  return state === 'queued' && (tree === undefined || tree.nextStrand === 0);
}

function growing({ tree }: SearchFold, waits: boolean): Content[] {
  const best = tree?.best;
  return [
    h('p', { class: 'chip live' }, waits ? 'waiting for its turn' : 'growing'),
    answerLine(best?.answer, 'no answer yet'),
  ];
}

function ended(fold: SearchFold, exit: Exit, search: WholeSearchJson): Content[] {
  const { answer } = fold;
  const verdict = verdictLook(search.verdict);
  const sign = h('span', { 'aria-hidden': 'true' }, `${verdict.sign} `);
  const rest = restOf(search, verdict.words);
  return [
    h('p', { class: `chip exit-${verdict.tone}` }, sign, verdict.words),
    answerLine(answer?.answer ?? answer?.text.trim(), 'no answer', verdict.answers),
    rest === '' ? undefined : h('p', { class: 'verdict' }, rest),
    ...furtherChoices(fold, search),
    h('p', { class: 'why' }, ...endingOf(exit)),
  ];
}

/** The other answers that the client was given, each with a verdict of its own. */
function furtherChoices({ tree }: SearchFold, { result }: WholeSearchJson): Content[] {
  return (result?.coppice.choices ?? []).slice(1).map(({ node, verdict }) => {
    const { sign, words, tone } = verdictLook(verdict);
    const end = tree?.nodes[node];
    const mark = h('i', { class: `sign exit-${tone}`, 'aria-hidden': 'true' }, sign);
    return h('p', { class: 'why choice' }, mark, `Also given, ${words}: ${end === undefined ? '' : answerWords(end)}`);
  });
}

/** What the server's sentence says beyond the word that the chip has. */
function restOf({ result }: WholeSearchJson, words: string): string {
  const said = result?.coppice.verdict_text ?? '';
  const rest = said.startsWith(words) ? said.slice(words.length).replace(/^: /, '') : said;
  return rest === '' ? '' : `${rest[0]!.toUpperCase()}${rest.slice(1)}.`;
}

/** The kind of the exit only where the verdict has not said it already. */
function endingOf(exit: Exit): Content[] {
  const { kind, sign } = exitLook(exit.kind);
  const because = describeExit(exit);
  if (kind === 'accepted') return [`It ended because ${because}.`];
  const mark = h('i', { class: `sign exit-${kind}`, 'aria-hidden': 'true' }, sign);
  return [mark, 'It ended as ', kind === 'futile' ? term('futile') : kind, `: ${because}.`];
}

function evidenceOf({ rule, evidence }: Exit): string {
  const figures = Object.entries(evidence).map(([name, value]) => `${name} ${formatEvidence(value)}`);
  return `rule ${rule}${figures.length === 0 ? '' : ': '}${figures.join(' · ')}`;
}

function answerLine(text: string | undefined, otherwise: string, answers = false): HTMLElement {
  const none = text === undefined || text === '';
  const look = answers ? 'answer' : 'answer attempt';
  return h('p', { class: none ? 'answer none' : look }, none ? otherwise : text);
}
