// Cuts a model's text into prose, code and formulas, by the marks that models write: fences and backticks, dollars, \( and \[,
// environments, and a few commands. Unclosed marks are prose. One pass, in time linear in the length: texts are untrusted. Pure.

export type TextPiece =
  | { readonly kind: 'prose' | 'code' | 'block'; readonly text: string }
  | { readonly kind: 'formula'; readonly text: string; readonly tex: string; readonly display: boolean };

/** Longer texts are shown as they are; so are longer formulas, and all after the first 200. */
const longestText = 200_000;
const mostFormulas = 200;
const longestFormula = 2000;
/** Longest argument of such a command. */
const longestArgument = 400;
const marks = /[`$\\]/g;
const alone = /\\(?:boxed|[dt]?frac|sqrt|binom)(?=[[{])/y;
const environment =
  /\\begin\{((?:align|aligned|equation|gather|gathered|cases|array|[pbvBV]?matrix|split|multline)\*?)\}/y;

export function piecesOf(text: string): TextPiece[] {
  return text.length > longestText ? [{ kind: 'prose', text }] : new Cutter(text).cut();
}

/** Cuts the steps of a path: code that one step opens continues in the next ones until its fence is closed. */
export function piecesOfSteps(steps: readonly string[]): TextPiece[][] {
  let isInCode = false;
  return steps.map((text) => {
    const begun = isInCode ? `\`\`\`\n${text}` : text;
    const isLeftOpen = ((text.match(/^```/gm)?.length ?? 0) % 2 === 1) !== isInCode;
    isInCode = isLeftOpen;
    return piecesOf(isLeftOpen ? `${begun}\n` : begun)
      .map((piece) => (piece.kind === 'block' ? { ...piece, text: piece.text.trimEnd() } : piece))
      .filter((piece) => piece.kind !== 'block' || piece.text !== '');
  });
}

/** Cuts an extracted answer, which has lost the marks around it: one line with a command is a formula. */
export function answerPieces(text: string): TextPiece[] {
  const pieces = piecesOf(text);
  const isBare = pieces.every(({ kind }) => kind === 'prose' || kind === 'formula') && !/[$\n]|\\[([]/.test(text);
  if (!isBare || text.length > longestFormula || !/\\[a-zA-Z]/.test(text)) return pieces;
  return [{ kind: 'formula', text, tex: text, display: false }];
}

interface Found {
  readonly piece: TextPiece;
  readonly end: number;
}

class Cutter {
  readonly #text: string;
  readonly #pieces: TextPiece[] = [];
  /** Next place of each closing mark; -1 if there is none. */
  readonly #next = new Map<string, number>();
  #formulas = 0;

  constructor(text: string) {
    this.#text = text;
  }

  cut(): TextPiece[] {
    const text = this.#text;
    let done = 0;
    marks.lastIndex = 0;
    for (let mark = marks.exec(text); mark !== null; mark = marks.exec(text)) {
      const found = this.#at(mark.index);
      if (found === undefined) {
        // An escaped mark begins nothing.
        if (mark[0] === '\\') marks.lastIndex = mark.index + 2;
        continue;
      }
      this.#prose(done, mark.index);
      this.#pieces.push(found.piece);
      done = found.end;
      marks.lastIndex = done;
    }
    this.#prose(done, text.length);
    return this.#pieces;
  }

  #prose(from: number, to: number): void {
    if (to > from) this.#pieces.push({ kind: 'prose', text: this.#text.slice(from, to) });
  }

  #at(at: number): Found | undefined {
    const text = this.#text;
    if (text[at] === '`') return text.startsWith('```', at) ? this.#fenced(at) : this.#code(at);
    if (this.#formulas >= mostFormulas) return undefined;
    const found = text[at] === '$' ? this.#dollars(at) : this.#command(at);
    if (found !== undefined) this.#formulas += 1;
    return found;
  }

  /** The fence may be open: a cut answer can end inside it. */
  #fenced(at: number): Found | undefined {
    const text = this.#text;
    if (at > 0 && text[at - 1] !== '\n') return undefined;
    const begin = this.#find('\n', at) + 1;
    if (begin === 0) return undefined;
    const close = this.#find('\n```', begin - 1);
    const lineEnd = close === -1 ? -1 : text.indexOf('\n', close + 4);
    const code = text.slice(begin, close === -1 ? text.length : Math.max(begin, close));
    return { piece: { kind: 'block', text: code }, end: close === -1 || lineEnd === -1 ? text.length : lineEnd + 1 };
  }

  #code(at: number): Found | undefined {
    const close = this.#find('`', at + 1);
    const newline = this.#find('\n', at);
    if (close <= at + 1 || (newline !== -1 && newline < close)) return undefined;
    return { piece: { kind: 'code', text: this.#text.slice(at + 1, close) }, end: close + 1 };
  }

  /** Pandoc's rule: no formula opens before a space, nor closes after one or before a digit; so prices stay prices. */
  #dollars(at: number): Found | undefined {
    const text = this.#text;
    if (text.startsWith('$$', at)) return this.#between(at, '$$', '$$', true);
    const close = this.#find('$', at + 1);
    if (close === -1 || /\s/.test(text[at + 1]!) || /[\s\\]/.test(text[close - 1]!) || /\d/.test(text[close + 1] ?? ''))
      return undefined;
    const paragraph = this.#find('\n\n', at);
    return paragraph !== -1 && paragraph < close ? undefined : this.#between(at, '$', '$', false);
  }

  #command(at: number): Found | undefined {
    const text = this.#text;
    if (text[at + 1] === '(') return this.#between(at, '\\(', '\\)', false);
    if (text[at + 1] === '[') return this.#between(at, '\\[', '\\]', true);
    environment.lastIndex = at;
    const opened = environment.exec(text);
    if (opened !== null) {
      const close = `\\end{${opened[1]}}`;
      const end = this.#find(close, at) + close.length;
      return end < close.length ? undefined : this.#formula(at, end, text.slice(at, end), true);
    }
    alone.lastIndex = at;
    if (!alone.test(text)) return undefined;
    const end = this.#argumentsEnd(alone.lastIndex);
    return end === undefined ? undefined : this.#formula(at, end, text.slice(at, end), false);
  }

  #between(at: number, open: string, close: string, display: boolean): Found | undefined {
    const begin = at + open.length;
    const end = this.#find(close, begin);
    if (end <= begin) return undefined;
    return this.#formula(at, end + close.length, this.#text.slice(begin, end), display);
  }

  #formula(from: number, end: number, tex: string, display: boolean): Found | undefined {
    if (end - from > longestFormula || tex.trim() === '') return undefined;
    return { piece: { kind: 'formula', text: this.#text.slice(from, end), tex, display }, end };
  }

  /** The place after the arguments: perhaps one in brackets, then those in braces. */
  #argumentsEnd(from: number): number | undefined {
    const text = this.#text;
    let at = text[from] === '[' ? this.#find(']', from) + 1 : from;
    if (at === 0 || at - from > longestArgument || text[at] !== '{') return undefined;
    for (let end = groupEnd(text, at); text[at] === '{'; end = groupEnd(text, at)) {
      if (end === undefined) return undefined;
      at = end;
    }
    return at;
  }

  /** Called in order, so that no part of the text is searched twice for one mark. */
  #find(what: string, from: number): number {
    const known = this.#next.get(what);
    if (known !== undefined && (known === -1 || known >= from)) return known;
    const at = this.#text.indexOf(what, from);
    this.#next.set(what, at);
    return at;
  }
}

/** The place after the matching brace. */
function groupEnd(text: string, from: number): number | undefined {
  const most = Math.min(text.length, from + longestArgument);
  let depth = 0;
  for (let at = from; at < most; at += 1) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === '{') depth += 1;
    else if (text[at] === '}') depth -= 1;
    if (depth === 0) return at + 1;
  }
  return undefined;
}
