// Makes elements of a model's text: code as code, formulas as MathML, all else as text nodes. The library for formulas is loaded with the
// first of them; until then, and if it cannot read one, the formula stays as written.

import { type Content, fill, h } from '../dom/dom.ts';
import { answerPieces, piecesOf, piecesOfSteps, type TextPiece } from './pieces.ts';

export function richText(text: string): Content[] {
  return contentOf(piecesOf(text));
}

export function richSteps(steps: readonly string[]): Content[][] {
  return piecesOfSteps(steps).map(contentOf);
}

/** For an answer that was extracted from its text. */
export function richAnswer(text: string): Content[] {
  return contentOf(answerPieces(text));
}

/** For a row of a list: displayed formulas stay as written, since nothing may be higher than a line. */
export function richLine(text: string): Content[] {
  return contentOf(answerPieces(text).map((piece) => (isBlock(piece) ? { kind: 'prose', text: piece.text } : piece)));
}

const shown = new WeakMap<Element, string>();

/** Writes only what changed, like `setText`. */
export function setRichText(element: Element, text: string): void {
  setContent(element, text, richText);
}

export function setRichLine(element: Element, text: string): void {
  setContent(element, text, richLine);
}

function setContent(element: Element, text: string, made: (text: string) => Content[]): void {
  if (shown.get(element) === text) return;
  shown.set(element, text);
  fill(element, ...made(text));
}

function contentOf(pieces: readonly TextPiece[]): Content[] {
  return pieces.map((piece, at) => {
    if (piece.kind === 'code') return h('code', {}, piece.text);
    if (piece.kind === 'block') return h('code', { class: 'block' }, piece.text);
    if (piece.kind === 'formula') return formula(piece);
    return besideBlocks(piece.text, isBlock(pieces[at - 1]), isBlock(pieces[at + 1]));
  });
}

function isBlock(piece: TextPiece | undefined): boolean {
  return piece?.kind === 'block' || (piece?.kind === 'formula' && piece.display);
}

function besideBlocks(text: string, isBehind: boolean, isBefore: boolean): string {
  const begun = isBehind ? text.replace(/^[ \t]*\n/, '') : text;
  return isBefore && begun.endsWith('\n') ? begun.slice(0, -1) : begun;
}

function formula({ text, tex, display }: TextPiece & { kind: 'formula' }): HTMLElement {
  const place = h('span', { class: display ? 'formula display' : 'formula' }, text);
  void import('./formula.ts').then(
    ({ typeset }) => typeset(place, tex, display),
    () => {},
  );
  return place;
}
