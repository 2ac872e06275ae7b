// Gives all ways to write the same answer one name: `canonical(a) === canonical(b)` is the equivalence, so answers are
// grouped by a map, and equality is transitive. Numbers and expressions are compared by value, tuples and intervals part
// by part, sets, unions and bare lists in any order, matrices entry by entry, all else by its letters. 0.33 is not 1/3.

import { evaluate } from './formula/expression.ts';
import { clean, longestFormula } from './formula/latex.ts';
import { divide, toFloat, valueKey } from './formula/value.ts';

/** Votes are counted again and again, by names that are found once. */
const known = new Map<string, string>();
const mostKnown = 2000;

export function canonical(answer: string): string {
  // Calls are compared by value already (turns.ts), and their letters count.
  if (answer.startsWith('calls "')) return answer;
  if (answer.length > longestFormula) return letters(answer);
  const name = known.get(answer) ?? nameOf(withoutSubject(clean(answer)));
  if (known.size >= mostKnown) known.clear();
  known.set(answer, name);
  return name;
}

function nameOf(text: string): string {
  const parts = splitTop(text, ',');
  return parts.length > 1 ? anyOrder('list', parts) : part(text);
}

export function sameAnswer(a: string, b: string): boolean {
  return a === b || canonical(a) === canonical(b);
}

/** The subject of an answer: `x`, `f(x)`, `f^{-1}(x)`, `a_1`, `(x, y)`, up to `=` or `\in`. */
const subject =
  /^\s*(?:[a-zA-Z](?:\^\{?-1\}?)?(?:_\{?\w+\}?)?\s*(?:\(\s*[a-z]\s*\))?|\([a-z](?:,\s*[a-z])+\))\s*(?:=|\\in(?![a-zA-Z]))\s*/;

/** `x = 5` answers 5, and `x = 1, x = 2` two numbers; but `x = 1, y = 2` says which is which. */
function withoutSubject(text: string): string {
  const parts = splitTop(text, ',');
  const subjects = new Set(parts.map((each) => subject.exec(each)?.[0].replaceAll(' ', '')));
  if (subjects.size > 1 || parts.some((each) => each.split('=').length > 2)) return text;
  return parts.map((each) => each.replace(subject, '')).join(',');
}

/** A list, set or union: the same members in any order, each once. */
function anyOrder(kind: string, members: readonly string[]): string {
  const keys = members.flatMap(alternatives).map(part);
  return `${kind}<${[...new Set(keys)].sort().join(' ')}>`;
}

/** Each doubles the answers. */
const mostSigns = 4;

/** `1 \pm 2` is the two answers 3 and -1. */
function alternatives(text: string): string[] {
  const sign = /\\pm(?![a-zA-Z])|±/;
  const signs = text.split(sign).length - 1;
  return signs > 0 && signs <= mostSigns ? [text.replace(sign, '+'), text.replace(sign, '-')] : [text];
}

function part(given: string): string {
  const text = given.trim();
  return (
    union(text) ?? matrix(text) ?? bracketed(text) ?? bothSigns(text) ?? equation(text) ?? value(text) ?? letters(text)
  );
}

function bothSigns(text: string): string | undefined {
  return alternatives(text).length > 1 ? anyOrder('list', [text]) : undefined;
}

function union(text: string): string | undefined {
  const sets = text.split(/\\cup(?![a-zA-Z])|∪/);
  return sets.length > 1 ? anyOrder('union', sets) : undefined;
}

function matrix(text: string): string | undefined {
  const content = /^\\begin\{([pbv]?matrix)\}(.*)\\end\{\1\}$/s.exec(text)?.[2];
  const rows = content?.split('\\cr').filter((row) => row.trim() !== '');
  return rows && `matrix<${rows.map((row) => row.split('&').map(part).join(' ')).join(' ; ')}>`;
}

/** Tuples, intervals and sets: one pair of brackets around everything, with a comma inside (or braces). */
function bracketed(text: string): string | undefined {
  const set = /^\\\{(.*)\\\}$/s.exec(text)?.[1];
  if (set !== undefined) return anyOrder('list', splitTop(set, ','));
  const [, open, inner, close] = /^([([])(.*)([)\]])$/s.exec(text) ?? [];
  if (open === undefined || inner === undefined) return undefined;
  const parts = splitTop(inner, ',');
  return parts.length > 1 ? `${open}${parts.map(part).join(' ')}${close}` : undefined;
}

/** Two equations that differ by a factor have the same ratio of their sides' difference at any two places. */
function equation(text: string): string | undefined {
  const sides = text.split('=');
  if (sides.length !== 2) return undefined;
  const differences = [1, 2].map((salt) => evaluate(`(${sides[0]})-(${sides[1]})`, salt));
  const [here, there] = differences;
  if (here === undefined || there === undefined) return undefined;
  const ratio = divide(toFloat(here), toFloat(there));
  return ratio === undefined ? undefined : `equation<${valueKey(ratio)}>`;
}

/** Letters alone are a word or a choice, not a product: `no` is not `on`. */
function value(text: string): string | undefined {
  if (/^\(?[a-zA-Z\s]*\)?$/.test(text)) return undefined;
  const known = evaluate(text);
  return known === undefined ? undefined : valueKey(known);
}

function letters(text: string): string {
  const bare = text.toLowerCase().replace(/[\s{}"'`*]|\.$/g, '');
  return `"${/^\(([a-z])\)$/.exec(bare)?.[1] ?? bare}"`;
}

/** Splits at separators that stand outside all brackets; one piece if the brackets do not match up. */
function splitTop(text: string, separator: string): string[] {
  const pieces: string[] = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at < text.length; at += 1) {
    const letter = text[at]!;
    if ('([{'.includes(letter)) depth += 1;
    else if (')]}'.includes(letter)) depth -= 1;
    else if (letter === separator && depth === 0) {
      pieces.push(text.slice(start, at));
      start = at + 1;
    }
    if (depth < 0) return [text];
  }
  return depth === 0 ? [...pieces, text.slice(start)] : [text];
}
