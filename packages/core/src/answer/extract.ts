// Finds what a finished path answers, in the ways models are asked to say it: \boxed{…}, "#### 18", "The answer is 18",
// "Answer: 18". The last statement counts, a box before a mark before a sentence. Gives the answer as it was written:
// what it means is canonical.ts's business. Never guesses: a text without a statement answers nothing.

import { trimEndOf } from './formula/latex.ts';

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

const fraction = String.raw`\\[dt]?frac\s*\{\d+\}\s*\{\d+\}`;
/** Skips the second number of `9-2` and the number in `3rd`. */
const number = new RegExp(
  String.raw`(?:(?<![\w)])-)?(?:${fraction}|(?<![\d.])\d[\d,]*(?:\.\d+)?(?:/\d+)?|\.\d+)(?!\d|(?:st|nd|rd|th)\b)`,
  'g',
);

/** Part of a formula: `3` and `13` of `3\\sqrt{13}` are not what the formula says. */
const inFormula = /[{^_]$|[\w)]\s*[*/×÷]\s*$/;
const intoFormula = /^\s*(?:[}^_*/×÷]|\\(?!text|mathrm|mbox)[a-z])|^[a-z]\b/i;

/** The last number in a text, for questions that ask for one and texts that mark none; what is bold at the end goes first. */
export function lastNumber(text: string): string | undefined {
  const end = text.trimEnd().split('\n').at(-1) ?? '';
  const bold = [...end.matchAll(/\*\*([^*]+)\*\*/g)].map(([, inner]) => inner).join(' ');
  const found = numbersIn(bold).at(-1);
  if (found !== undefined) return found;
  const last = [...text.matchAll(number)].at(-1);
  if (last === undefined || inFormula.test(text.slice(0, last.index))) return undefined;
  return intoFormula.test(text.slice(last.index + last[0].length)) ? undefined : trimEndOf(last[0], /,/);
}

export function numbersIn(text: string): string[] {
  return (text.match(number) ?? []).map((each) => trimEndOf(each, /,/));
}

/** The content of the last complete box; one that was cut off in the middle does not count. */
function lastBoxed(text: string): string | undefined {
  const boxes = [...text.matchAll(/\\(?:boxed|fbox|framebox)\s*(?:\{|(?<bare>[^\s{}\\$]+))|(?<!\\)\bboxed\{/g)];
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

/** Phrases that state an answer: "the answer to the question is therefore", "the answer would be", "Answer:", a heading. */
const phrase = new RegExp(
  String.raw`\banswer\b(?:[ \t]+(?:to|for|of)[ \t]+(?:the|this|your)[ \t]+\w{1,40})?(?:,[^,.\n]{1,30},)?[ \t*_]*` +
    String.raw`(?:is\b|'s\b|(?:would|should|will|must)[ \t]+be\b|=|:|$)[ \t*_]*:?(?:[ \t]*,?(?:therefore|thus|then|hence|simply)\b,?)?`,
  'gim',
);

function afterPhrase(text: string): string | undefined {
  const said = [...text.matchAll(phrase)].findLast((each) => isSaid(text, each));
  if (said === undefined) return undefined;
  const rest = text.slice(said.index + said[0].length).trimStart();
  // The first full stop that ends a sentence; the point of a decimal does not.
  return tidy(rest.split('\n', 1)[0]?.split(/\.(?=\s|$)/)[0]);
}

/** "answer" at the end of a line says something only where it is a heading of its own. */
function isSaid(text: string, { 0: words, index }: RegExpExecArray): boolean {
  if (!/^answer[ \t*_]*$/i.test(words)) return true;
  const line = text.slice(text.lastIndexOf('\n', index) + 1, index);
  return /^[#*_\s]*(?:the\s+)?(?:final\s+)?$/i.test(line) && /\S/.test(text.slice(index + words.length));
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
