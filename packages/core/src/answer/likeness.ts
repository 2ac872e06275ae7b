// Answers in one's own words: which are such, and which of them mean the same, by the vectors that an embedding model gives them
// (P1 §3.1). A vector says what a text is about better than what it says of it, so that texts which name different numbers, or of
// which one denies, are never the same, however near they lie. Pure: the embedders are in src/embedder.

/** Least cosine of two answers that count as one: the lowest that joins at most one in ten different pairs of labelled answers. */
export const groupSimilarity = 0.8;

export type Vector = readonly number[];

export interface ReadText {
  readonly text: string;
  readonly vector: Vector;
}

/** Shorter texts are names, numbers or choices: near in every embedding, and equal only by their letters. */
const fewestWords = 3;
/** Single letters are variables and choices; where words are not set apart, a sign stands for one. */
const word = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|\p{L}{2,}/gu;

/** Prose: some clause of it has words enough. A list of names has not, nor has a formula, whose commands are no words. */
export function isOpenText(text: string): boolean {
  const clauses = text.replace(/\\[a-zA-Z]+/g, ' ').split(/[,;:.!?\n]/);
  return clauses.some((clause) => (clause.match(word)?.length ?? 0) >= fewestWords);
}

/** The nearest of those that may mean the same, at least so similar; of equally near ones the earliest. */
export function nearestText<Each extends ReadText>(
  { text, vector }: ReadText,
  known: readonly Each[],
  similarity: number,
): Each | undefined {
  let best: { readonly each: Each; readonly cosine: number } | undefined;
  for (const each of known) {
    const near = cosine(vector, each.vector);
    if (near < similarity || near <= (best?.cosine ?? -1) || !mayAgree(text, each.text)) continue;
    best = { each, cosine: near };
  }
  return best?.each;
}

/** From -1 to 1; 0 where the two cannot be compared. */
export function cosine(a: Vector, b: Vector): number {
  if (a.length !== b.length) return 0;
  let [dot, lengthA, lengthB] = [0, 0, 0];
  for (let at = 0; at < a.length; at += 1) {
    dot += a[at]! * b[at]!;
    lengthA += a[at]! ** 2;
    lengthB += b[at]! ** 2;
  }
  return lengthA === 0 || lengthB === 0 ? 0 : dot / Math.sqrt(lengthA * lengthB);
}

function mayAgree(a: string, b: string): boolean {
  return denies(a) === denies(b) && numbersIn(a) === numbersIn(b);
}

/** English only: in other languages it sees no denial, and keeps nothing apart. */
function denies(text: string): boolean {
  return /\b(?:no|not|never|none|nor|neither|cannot)\b|n['’]t\b/i.test(text);
}

/** Each once, in any order: a text may come back to a number it has named. */
function numbersIn(text: string): string {
  const numbers = text.replace(/(\d),(?=\d{3}\b)/g, '$1').match(/\d+(?:\.\d+)?/g) ?? [];
  return [...new Set(numbers.map(Number))].sort((a, b) => a - b).join(' ');
}
