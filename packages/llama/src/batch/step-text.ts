// Turns sampled tokens into the text of one step. Holds back an unfinished UTF-8 character, and finds a stop string even if it spans
// tokens or ends inside one. Pure.

/** The bytes of a token; control tokens have none. */
export type PieceOf = (token: number) => Uint8Array;

export interface Stop {
  readonly stop: number;
  readonly begins: number;
  readonly ends: number;
}

export class StepText {
  readonly #pieceOf: PieceOf;
  readonly #stops: readonly string[];
  readonly #longestStop: number;
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  /** Length of the text after each token, to find the token in which a stop string ends. */
  readonly #endOfToken: number[] = [];
  #text = '';
  /** The last characters, which may complete a stop string: searching the whole text would copy it at every token. */
  #tail = '';

  constructor(pieceOf: PieceOf, stops: readonly string[]) {
    this.#pieceOf = pieceOf;
    this.#stops = stops;
    this.#longestStop = Math.max(0, ...stops.map((stop) => stop.length));
  }

  get text(): string {
    return this.#text;
  }

  /** Takes one token; returns the text it adds and the stop string it completes, the earliest if several. */
  push(token: number): { readonly added: string; readonly stop: Stop | undefined } {
    const added = this.#decoder.decode(this.#pieceOf(token), { stream: true });
    this.#text += added;
    this.#tail += added;
    this.#endOfToken.push(this.#text.length);
    return { added, stop: added === '' ? undefined : this.#findStop() };
  }

  /** Ends the text; an unfinished character becomes the replacement character. */
  finish(): string {
    const rest = this.#decoder.decode();
    this.#text += rest;
    return rest;
  }

  /** Text of each of the first `tokens` tokens, up to `character`; the last has the rest. */
  pieces(tokens: number, character: number): string[] {
    const ends = Array.from({ length: tokens }, (_, at) => Math.min(this.#endOfToken[at] ?? character, character));
    ends[tokens - 1] = character;
    return ends.map((end, at) => this.#text.slice(at === 0 ? 0 : ends[at - 1], end));
  }

  /** Number of tokens that end before `character`, and the part of the next one up to it ('' for none). */
  cutAt(character: number): { readonly wholeTokens: number; readonly remainder: string } {
    let wholeTokens = this.#endOfToken.length;
    while (wholeTokens > 0 && this.#endOfToken[wholeTokens - 1]! > character) wholeTokens -= 1;
    const covered = wholeTokens === 0 ? 0 : this.#endOfToken[wholeTokens - 1]!;
    return { wholeTokens, remainder: this.#text.slice(covered, character) };
  }

  #findStop(): Stop | undefined {
    let found: Stop | undefined;
    const from = this.#text.length - this.#tail.length;
    this.#stops.forEach((stop, index) => {
      const at = stop === '' ? -1 : this.#tail.indexOf(stop);
      const begins = from + at;
      if (at >= 0 && (found === undefined || begins < found.begins)) {
        found = { stop: index, begins, ends: begins + stop.length };
      }
    });
    this.#tail = this.#tail.slice(Math.max(0, this.#tail.length - this.#longestStop + 1));
    return found;
  }
}
