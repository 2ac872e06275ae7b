// Shows the state of a search: growing, with the best answer so far, or ended, with verdict, answer and reason, each said once. An
// unaccepted answer never looks like an answer. A disclosure holds the numbers, and stays as the reader left it.

import { describeExit, type Exit, type SearchFold } from '@coppice/core/log';
import type { SearchJson, WholeSearchJson } from '../../../../src/wire/search-json.ts';
import { type Content, fill, h } from '../../dom/dom.ts';
import { term } from '../../dom/term.ts';
import { exitLooks } from '../../look/exits.ts';
import { verdictLook } from '../../look/verdicts.ts';
import { formatEvidence, placeWords } from '../../look/words.ts';
import { richAnswer } from '../../rich/rich-text.ts';
import { absentWords } from './absent-words.ts';
import { answerWords } from './other-answers.ts';

/** Longest answer in large type, in characters. */
const longestShort = 120;

export class OutcomePanel {
  readonly #words = h('div', { role: 'status' });
  readonly #evidence = h('p', { class: 'why' });
  readonly #numbers = h('details', { class: 'numbers', hidden: true }, h('summary', {}, 'Numbers'), this.#evidence);
  readonly element = h('div', { class: 'outcome' }, this.#words, this.#numbers);
  #shown = '';

  show(moment: SearchFold, search: WholeSearchJson, place: number | undefined): void {
    const { exit, tree } = moment;
    const { state, verdict } = search;
    const absent = absentWords(moment);
    const waits = isWaiting(moment, state);
    const key = [exit?.kind, tree?.best?.id, state, verdict, waits, waits && place, absent].join(' ');
    if (key === this.#shown) return;
    this.#shown = key;
    const words = exit === undefined ? growing(moment, waits, place) : ended(moment, exit, search);
    fill(this.#words, ...words, absent === '' ? undefined : h('p', { class: 'why' }, absent));
    this.#numbers.hidden = exit === undefined;
    this.#evidence.textContent = exit === undefined ? '' : evidenceOf(exit);
  }
}

/** Uses the server's state at opening until a strand opens. */
function isWaiting({ tree }: SearchFold, state: SearchJson['state']): boolean {
  return state === 'queued' && (tree === undefined || tree.nextStrand === 0);
}

function growing({ tree }: SearchFold, waits: boolean, place: number | undefined): Content[] {
  const best = tree?.best;
  const waiting = place === undefined ? 'waiting for its turn' : `waiting: ${placeWords(place)}`;
  return [h('p', { class: 'chip live' }, waits ? waiting : 'growing'), answerLine(best?.answer, 'no answer yet')];
}

function ended(fold: SearchFold, exit: Exit, search: WholeSearchJson): Content[] {
  const { answer } = fold;
  const verdict = verdictLook(search.verdict);
  const sign = h('span', { 'aria-hidden': 'true' }, `${verdict.sign} `);
  const rest = restOf(search, verdict.words);
  const said = answer?.answer ?? answer?.text.trim() ?? '';
  return [
    h('p', { class: `chip exit-${verdict.tone}` }, sign, verdict.words),
    said === '' && !verdict.answers ? undefined : answerLine(said, 'no text kept', verdict.answers),
    rest === '' ? undefined : h('p', { class: 'verdict' }, rest),
    ...furtherChoices(fold, search),
    h('p', { class: 'why' }, ...endingOf(exit, search)),
  ];
}

function furtherChoices({ tree }: SearchFold, { result }: WholeSearchJson): Content[] {
  return (result?.coppice.choices ?? []).slice(1).map(({ node, verdict }) => {
    const { sign, words, tone } = verdictLook(verdict);
    const end = tree?.nodes[node];
    const mark = h('i', { class: `sign exit-${tone}`, 'aria-hidden': 'true' }, sign);
    return h('p', { class: 'why choice' }, mark, `Also given, ${words}: ${end === undefined ? '' : answerWords(end)}`);
  });
}

/** The server's sentence without the chip's word. */
function restOf({ result }: WholeSearchJson, words: string): string {
  const said = result?.coppice.verdict_text ?? '';
  const rest = said.startsWith(words) ? said.slice(words.length).replace(/^: /, '') : said;
  return rest === '' ? '' : `${rest[0]!.toUpperCase()}${rest.slice(1)}.`;
}

function endingOf(exit: Exit, { error }: WholeSearchJson): Content[] {
  const { kind, sign } = exitLooks.find((each) => each.kind === exit.kind)!;
  const mark = h('i', { class: `sign exit-${kind}`, 'aria-hidden': 'true' }, sign);
  if (kind === 'failed') return [mark, `Failed: ${error?.message ?? describeExit(exit)}`];
  return [mark, 'Stopped', ...(kind === 'futile' ? [' as ', term('futile')] : []), `: ${describeExit(exit)}.`];
}

function evidenceOf({ kind, rule, evidence }: Exit): string {
  const figures = Object.entries(evidence).map(([name, value]) => `${name} ${formatEvidence(value)}`);
  return `exit ${kind}, rule ${rule}${figures.length === 0 ? '' : ': '}${figures.join(' · ')}`;
}

function answerLine(text: string | undefined, otherwise: string, answers = false): HTMLElement {
  const none = text === undefined || text === '';
  const length = none || (text.length <= longestShort && !text.includes('\n')) ? 'answer' : 'answer long';
  const look = answers ? length : `${length} attempt`;
  return h('p', { class: none ? 'answer none' : look }, ...(none ? [otherwise] : richAnswer(text)));
}
