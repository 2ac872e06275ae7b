// Answers of a server without a model: steps of random lengths with blank lines between them, and a boxed number at the end. A token's id holds
// the number of steps after it, so that a path that comes back as a prompt is continued correctly.

export interface MadeUpToken {
  readonly id: number;
  readonly text: string;
}

export interface MadeUpAnswer {
  readonly tokens: readonly MadeUpToken[];
  readonly ending: 'delimiter' | 'eos' | 'length';
}

type LengthRange = readonly [low: number, high: number];

/** Tokens of any prompt: about a question with a system message. */
export const rootTokens = 128;
const drawnFrom = 1_000_000;
const wordsPerPlace = 4096;
const answers = 4;

export class AnswerWriter {
  readonly #steps: LengthRange;
  readonly #stepTokens: LengthRange;

  constructor(steps: LengthRange, stepTokens: LengthRange) {
    this.#steps = steps;
    this.#stepTokens = stepTokens;
  }

  /** Below the last token of a prompt; to the end of a step where a blank line is among the stops, else to the end of the answer. */
  write(prompt: readonly number[], stops: readonly string[], maxTokens: number): MadeUpAnswer {
    const last = prompt.at(-1) ?? 0;
    const begun = last >= drawnFrom;
    const left = begun ? Math.floor((last - drawnFrom) / wordsPerPlace) : within(this.#steps);
    const stopsHere = stops.includes('\n\n');
    const count = stopsHere ? Math.min(1, left) : left;
    const tokens = Array.from({ length: count }, (_, at) => this.#step(left - at - 1)).flat();
    // A path that had ended and is asked on has one more word to say.
    if (tokens.length === 0) tokens.push(...this.#step(0));
    if (tokens.length > maxTokens) return { tokens: tokens.slice(0, maxTokens), ending: 'length' };
    return { tokens, ending: stopsHere && left > 1 ? 'delimiter' : 'eos' };
  }

  /** The same for the same text. */
  tokenize(text: string): number[] {
    let state = 0;
    for (const letter of text) state = (Math.imul(state, 31) + letter.charCodeAt(0)) >>> 0;
    return Array.from({ length: rootTokens }, (_, at) => 10 + ((state + at * 7919) % 100_000));
  }

  #step(stepsAfter: number): MadeUpToken[] {
    const length = within(this.#stepTokens);
    return Array.from({ length }, (_, at) => {
      const word = Math.floor(Math.random() * wordsPerPlace);
      const end = stepsAfter > 0 ? '\n\n' : ` \\boxed{${word % answers}}`;
      const text = at < length - 1 ? ` ${word.toString(36)}` : end;
      return { id: drawnFrom + stepsAfter * wordsPerPlace + word, text };
    });
  }
}

function within([low, high]: LengthRange): number {
  return low + Math.floor(Math.random() * (high - low + 1));
}
