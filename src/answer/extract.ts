// Finds what a finished path answers, in the ways models are asked to say it: \boxed{…}, "#### 18", "The answer is 18",
// "Answer: 18". The last statement counts, a box before a mark before a sentence. Gives the answer as it was written:
// what it means is canonical.ts's business. Never guesses: a text without a statement answers nothing.

/** A text with more unclosed boxes than this at its end is noise, and not worth reading to the end for each. */
const mostBoxes = 16;
/** Characters of a stated answer that are looked at. */
const longestAnswer = 1000;

export function extractAnswer(text: string): string | undefined {
  return lastBoxed(text) ?? afterMark(text) ?? afterPhrase(text);
}

/** The last line that says something, for grouping answers that nothing marks: alike lines are one answer. */
export function lastLine(text: string): string | undefined {
  return tidy(text.trimEnd().split('\n').at(-1));
}

/** The last number in a text, for tasks that accept an unmarked one. */
export function lastNumber(text: string): string | undefined {
  return text
    .match(/-?(?:\d[\d,]*\.?\d*|\.\d+)/g)
    ?.at(-1)
    ?.replace(/[.,]+$/, '');
}

/** The content of the last complete box; one that was cut off in the middle does not count. */
function lastBoxed(text: string): string | undefined {
  const boxes = [...text.matchAll(/\\(?:boxed|fbox)\s*(?:\{|(?<bare>[^\s{}\\$]+))/g)];
  for (const box of boxes.slice(-mostBoxes).reverse()) {
    const content = box.groups?.bare ?? insideBraces(text, box.index + box[0].length);
    if (content !== undefined && content.trim() !== '') return content.trim();
  }
  return undefined;
}

/** From just after an opening brace up to the brace that closes it. */
function insideBraces(text: string, start: number): string | undefined {
  let depth = 1;
  for (let at = start; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === '{') depth += 1;
    else if (text[at] === '}') {
      depth -= 1;
      if (depth === 0) return text.slice(start, at);
    }
  }
  return undefined;
}

function afterMark(text: string): string | undefined {
  return tidy([...text.matchAll(/^[ \t]*####[ \t]*(.+)$/gm)].at(-1)?.[1]);
}

function afterPhrase(text: string): string | undefined {
  const phrase = [...text.matchAll(/\banswer\b[ \t*_]*(?:is\b|=|:)[ \t]*:?/gi)].at(-1);
  if (phrase === undefined) return undefined;
  const rest = text.slice(phrase.index + phrase[0].length).trimStart();
  return tidy(firstSentence(rest.split('\n', 1)[0]));
}

/** Up to the first full stop that ends a sentence; the point of a decimal does not. */
function firstSentence(text: string | undefined): string | undefined {
  return text?.split(/\.(?=\s|$)/)[0];
}

/** Without Markdown emphasis, dollar signs around it, and the punctuation of the sentence. */
function tidy(text: string | undefined): string | undefined {
  const bare = text
    ?.slice(0, longestAnswer)
    .replace(/^[\s*_`]+|[\s*_`]+$/g, '')
    .replace(/[.;,]+$/, '')
    .replace(/^\$+([^$]*)\$+$/, '$1')
    .trim();
  return bare === '' ? undefined : bare;
}
